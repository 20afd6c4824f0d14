import { batchOf, Message } from "@mqb/core/plugin";
import { FakeClock } from "@mqb/testkit";
import { expect, it } from "vitest";
import { Template } from "../../src/template/template.ts";

const ID = "00000000-0000-4000-8000-000000000001";
const PAYLOAD =
  '{"a":{"b":["x","y"]},"s":"q\\"q","n":1.50,"big":123456789012345678901,"t":true,"nil":null,"o":{"k": 1}}';
const batch = batchOf([new Message(PAYLOAD, new Map([["k", 'v"v']]), ID)]);
const options = (more: object = {}) => ({
  clock: new FakeClock(),
  env: { HOME: "/h", EMPTY: "" },
  counter: { next: 0 },
  ...more,
});
const render = (text: string, more?: object) => new Template(text, options(more)).render(batch, 0);

it.each([
  ["${payload:a.b.1}", "y"],
  ["${payload:$.a}", ""],
  ["${payload:.a..b.0}", "x"],
  ["${payload:s}", 'q"q'],
  ["${payload:n}", "1.50"],
  ["${payload:big}", "123456789012345678901"],
  ["${payload:t}", "true"],
  ["${payload:nil}", ""],
  ["${payload:o}", '{"k": 1}'],
  ["${payload:}", PAYLOAD],
  ["${payload:zz}", ""],
  ["${metadata:k}", 'v"v'],
  ["${metadata:zz}", ""],
  ["${message:id}", ID],
  ["${message:payload}", PAYLOAD],
  ["${ payload : s }", 'q"q'],
  ["${env:HOME}", "/h"],
  ["a ${payload:t} b ${env:EMPTY}${payload:t}", "a true b true"],
])("renders %s", (text, expected) => {
  expect(render(text)).toBe(expected);
});

it.each([
  ["$${payload:s}", "${payload:s}"],
  ["pay $$5, pid $$", "pay $$5, pid $$"],
  ["${other:x} ${X} ${other:x | nonsense}", "${other:x} ${X} ${other:x | nonsense}"],
  ["costs ${5", "costs ${5"],
  ["äöü 🚀", "äöü 🚀"],
])("leaves %s", (text, expected) => {
  expect(render(text)).toBe(expected);
  expect(new Template(text, options()).constant).toBe(expected);
});

it("escapes what comes from messages for JSON, unless the token says raw", () => {
  const json = { json: true };
  expect(render('{"s":"${payload:s}","m":"${metadata:k}"}', json)).toBe('{"s":"q\\"q","m":"v\\"v"}');
  expect(render("${payload:o | raw} ${payload:s|raw}", json)).toBe('{"k": 1} q"q');
  expect(JSON.parse(render('"${message:payload}"', json))).toBe(PAYLOAD);
});

it("encodes as base64 what the token asks for, binary payloads as they are", () => {
  const binary = batchOf([new Message(Buffer.from([0xff, 0x00]))]);
  expect(new Template("${message:payload | base64}", options()).render(binary, 0)).toBe("/wA=");
  expect(new Template("${message:payload}", options()).render(binary, 0)).toBe("\ufffd\0");
  expect(render("${payload:s | base64}")).toBe(Buffer.from('q"q').toString("base64"));
});

it("generates values", () => {
  expect(render("${gen:uuid}")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  expect(render("${gen:now} ${gen:timestamp}")).toBe(`2026-01-01T00:00:00Z ${Date.UTC(2026, 0, 1)}`);
  const counting = new Template("${gen:counter},${gen:counter}", options());
  expect([counting.render(), counting.render()]).toEqual(["0,1", "2,3"]);
  const seen = new Set(Array.from({ length: 300 }, () => render("${gen:random(-1,1)}")));
  expect([...seen].sort()).toEqual(["-1", "0", "1"]);
  expect(render("${gen:random( 5 , 5 )}")).toBe("5");
});

it("renders without a message what needs none", () => {
  const template = new Template("[${payload:a}${metadata:k}${message:id}${message:payload}]${gen:counter}", options());
  expect(template.render()).toBe("[]0");
});

it("resolves only when every value is there", () => {
  const resolve = (text: string) => new Template(text, options()).resolve(batch, 0);
  expect(resolve("${payload:t}-${metadata:k}")).toBe('true-v"v');
  expect(resolve("${payload:nil}")).toBeUndefined();
  expect(resolve("${payload:t}-${payload:zz}")).toBeUndefined();
  expect(resolve("${metadata:zz}")).toBeUndefined();
});

it("knows whether it says the same about a message that comes again", () => {
  const repeatable = (text: string) => new Template(text, options()).repeatable;
  expect(repeatable("${payload:a}-${metadata:b}-${message:id} x")).toBe(true);
  expect(repeatable("${payload:a}${gen:counter}")).toBe(false);
});

it.each([
  ["${gen:ulid}", /"ulid".*uuid, now, timestamp, counter, random\(min,max\)/],
  ["${gen:random(5)}", /random/],
  ["${gen:random(5,1)}", /upper bound 1 is below the lower bound 5/],
  ["${gen:random(0,99999999999999999999)}", /too far/],
  ["${message:body}", /"body".*id, payload/],
  ["${payload:a | upper}", /"upper".*raw, base64/],
  ["${env:MQB_UNSET}", /MQB_UNSET is not set/],
  ["x ${gen:uuid", /closing \}/],
])("refuses %s and says why", (text, reason) => {
  const make = () => new Template(text, options());
  expect(make).toThrow(reason);
  expect(make).toThrow(text.slice(text.indexOf("${")));
});
