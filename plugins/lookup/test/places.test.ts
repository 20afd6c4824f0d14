import { codeOf, type Outcome } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { errors } from "../src/index.ts";
import { Asked, batch, enriched, lines, never, openOutput } from "./looking.ts";

const at = (into: string) => ({ from: { asked: {} }, into });
const one = () => new Asked(() => "1");

describe("the place of an answer", () => {
  it.each([
    ["a", "{}", '{"a":1}'],
    ["a", '{"b":1e2, "a" : {"x":[1]} }', '{"b":1e2, "a" : 1 }'],
    ["$.a", '{"a":0}', '{"a":1}'],
    ["a.b.c", "{}", '{"a":{"b":{"c":1}}}'],
    ["a.b", '{"a":{"x": 2.50},"z":-0}', '{"a":{"x": 2.50,"b":1},"z":-0}'],
    ["a", '{"a":1,"a":2}', '{"a":1,"a":1}'],
    ["__proto__.x", "{}", '{"__proto__":{"x":1}}'],
    ["constructor", '{"n":1}', '{"n":1,"constructor":1}'],
    ["ä b", "{}", '{"ä b":1}'],
  ])("%s in %s", async (into, payload, expected) => {
    expect(await enriched(at(into), one(), payload)).toEqual([expected]);
    expect(Object.prototype).not.toHaveProperty("x");
  });

  it.each([
    ["no JSON", "plain", "MQB_LOOKUP_NOT_JSON"],
    ["cut off", '{"a":', "MQB_LOOKUP_NOT_JSON"],
    ["empty", "", "MQB_LOOKUP_NOT_JSON"],
    ["a list", "[{}]", "MQB_LOOKUP_NO_PLACE"],
    ["a text", '"a"', "MQB_LOOKUP_NO_PLACE"],
    ["null", "null", "MQB_LOOKUP_NO_PLACE"],
    ["a text on the way", '{"a":"x"}', "MQB_LOOKUP_NO_PLACE"],
    ["null on the way", '{"a":null}', "MQB_LOOKUP_NO_PLACE"],
    ["a list on the way", '{"a":{"b":[1]}}', "MQB_LOOKUP_NO_PLACE"],
  ])("is not there, %s: the message fails for good and nobody is asked for it", async (_, payload, code) => {
    const asked = one();
    const { publisher, sink } = await openOutput(at("a.b.c"), { asked });
    const outcomes = await publisher.send(batch('{"n":0}', payload, '{"n":2}'), never);
    expect(codesOf(outcomes!)).toEqual([undefined, code, undefined]);
    expect(sink.messages.map((message) => message.text())).toEqual([
      '{"n":0,"a":{"b":{"c":1}}}',
      '{"n":2,"a":{"b":{"c":1}}}',
    ]);
    expect(asked.texts).toEqual(['{"n":0}', '{"n":2}']);
  });

  it("says where the payload has no place, and no value of it", async () => {
    const { publisher } = await openOutput(at("a.b.c"), { asked: one() });
    const [outcome] = (await publisher.send(batch('{"a":{"b":"secret"}}'), never))!;
    const text = String((outcome as { error: unknown }).error);
    expect(text).toContain("a.b of the payload is not a JSON object");
    expect(text).not.toContain("secret");
  });
});

describe("into: $", () => {
  it("replaces a payload of any kind, and keeps id and metadata", async () => {
    const { publisher, sink } = await openOutput(at("$"), { asked: new Asked((request) => `${request.text()}!`) });
    const sent = lines("plain", "{}");
    await publisher.send(sent, never);
    expect(sink.messages.map((message) => message.text())).toEqual(['"plain!"', '"{}!"']);
    expect(sink.messages.map((message) => message.id)).toEqual([sent.id(0), sent.id(1)]);
    expect([...sink.messages[0]!.metadata]).toEqual([["lookup.found", "true"]]);
  });

  it("writes null where nothing is found", async () => {
    expect(await enriched(at("$"), new Asked(() => ""), "plain")).toEqual(["null"]);
  });

  it("leaves the payload as it is with on_missing: leave_out", async () => {
    expect(await enriched({ ...at("$"), on_missing: "leave_out" }, new Asked(() => ""), "plain")).toEqual(["plain"]);
  });
});

describe("several lookups", () => {
  const config = (...intos: string[]) => ({
    from: { asked: {} },
    into: intos[0]!,
    entries: intos.slice(1).map((into, n) => ({ from: { [`asked${n}`]: {} }, into })),
  });

  it("write side by side, also into objects that are not there yet", async () => {
    const endpoints = { asked: one(), asked0: new Asked(() => "2"), asked1: new Asked(() => "") };
    const { publisher, sink } = await openOutput(config("f.a", "f.b", "c"), endpoints);
    await publisher.send(batch('{"n":1}'), never);
    expect(sink.messages[0]!.text()).toBe('{"n":1,"f":{"a":1,"b":2},"c":null}');
    expect([...sink.messages[0]!.metadata]).toEqual([
      ["lookup.f.a.found", "true"],
      ["lookup.f.b.found", "true"],
      ["lookup.c.found", "false"],
      ["lookup.found", "false"],
    ]);
  });

  it("are made at the same time, and each sees the payload as it came", async () => {
    const [asked, asked0] = [one(), new Asked((request) => JSON.stringify(request.text()))];
    asked.hold();
    const { publisher, sink } = await openOutput(config("a", "b"), { asked, asked0 });
    const sending = publisher.send(batch("{}"), never);
    await asked0.sent(1);
    asked.release();
    await sending;
    expect(sink.messages[0]!.text()).toBe('{"a":1,"b":"{}"}');
  });

  it("fail the message when one of them fails, for good when one does for good", async () => {
    const { BUSY, REFUSED } = errors;
    const [asked, asked0] = [one(), one()];
    asked.answer = () => ({ type: "failed", error: BUSY({ path: "p", status: 503 }) });
    asked0.answer = () => ({ type: "failed", error: REFUSED({ path: "p", status: 400 }) });
    const { publisher } = await openOutput(config("a", "b"), { asked, asked0 });
    expect(codesOf((await publisher.send(batch("{}"), never))!)).toEqual(["MQB_LOOKUP_REFUSED"]);
  });
});

function codesOf(outcomes: readonly Outcome[]): (string | undefined)[] {
  return outcomes.map((outcome) => (outcome.type === "failed" ? codeOf(outcome.error) : undefined));
}
