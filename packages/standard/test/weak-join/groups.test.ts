import { Message } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import { message, payloads, setUp } from "./setup.ts";

it("joins messages of a group as an array in the order in which they came, with the metadata of the first and a fresh id", async () => {
  const { source, receive } = await setUp();
  const first = message("x", '{"a":1}', { k: "1" });
  source.push([first, message("y", "0"), message("x", '{"b":2}', { k: "2" })]);
  const { batch } = await receive();
  expect(payloads(batch)).toEqual(['[{"a":1},{"b":2}]']);
  expect(Object.fromEntries(batch.metadata(0))).toEqual({ g: "x", k: "1" });
  expect(batch.id(0)).not.toBe(first.id);
});

it("keeps every digit, and takes what is no JSON as a text", async () => {
  const { source, receive } = await setUp({ expected_count: 6 });
  source.push([
    message("x", "1.0"),
    message("x", '{ "n" : 12345678901234567890.10 }\n'),
    message("x", 'text "quoted"'),
    new Message(Buffer.from([0xff]), new Map([["g", "x"]])),
    message("x", ""),
    message("x", '{"__proto__":1}'),
  ]);
  expect(payloads((await receive()).batch)).toEqual([
    '[1.0,{"n":12345678901234567890.10},"text \\"quoted\\"","\ufffd","",{"__proto__":1}]',
  ]);
});

it("takes what is nested too deeply as a text, and does not fail", async () => {
  const { source, receive } = await setUp();
  const deep = (levels: number, between = "") => `${`[${between}`.repeat(levels)}${"]".repeat(levels)}`;
  source.push([message("x", deep(600, "\n")), message("x", deep(100_000))]);
  const joined = (await receive()).batch.at(0).json() as unknown[];
  expect(joined.every((one) => typeof one === "string")).toBe(true);
});

it("joins by branches as an object in their alphabetical order; the last message of a branch counts", async () => {
  const { source, receive } = await setUp({ branch_by: "src", required: ["price", "inv"], expected_count: 9 });
  source.push([
    message("x", '{"p":1}', { src: "price" }),
    message("x", '{"p":2}', { src: "price" }),
    message("x", "7", { src: "extra" }),
    message("x", '{"i":1}', { src: "inv" }),
  ]);
  const { batch } = await receive();
  expect(payloads(batch)).toEqual(['{"extra":7,"inv":{"i":1},"price":{"p":2}}']);
  expect(Object.fromEntries(batch.metadata(0))).toEqual({
    g: "x",
    src: "price",
    join_branches: "extra,inv,price",
    join_complete: "true",
  });
});

it("without required branches, waits for so many different ones", async () => {
  const { source, receive } = await setUp({ branch_by: "src" });
  source.push([
    message("x", "1", { src: "a" }),
    message("x", "2", { src: "a" }),
    message("x", "3", { src: "__proto__" }),
  ]);
  expect(payloads((await receive()).batch)).toEqual(['{"__proto__":3,"a":2}']);
});

it("joins messages that name no group with each other, and says so once", async () => {
  const { context, source, receive } = await setUp();
  source.push([message(undefined, "1"), message("default", "2"), message(undefined, "3"), message(undefined, "4")]);
  expect(payloads((await receive()).batch)).toEqual(["[1,2]", "[3,4]"]);
  expect(context.log.at("warn")).toEqual([expect.stringContaining('without the metadata "g"')]);
});

it("gives at most as many joined messages as it is asked for, and the rest next", async () => {
  const { source, receive } = await setUp({ expected_count: 1 });
  source.push([message("x", "1"), message("y", "2"), message("z", "3")]);
  expect(payloads((await receive(2)).batch)).toEqual(["[1]", "[2]"]);
  source.push([message("x", "4")]);
  expect(payloads((await receive(2)).batch)).toEqual(["[3]"]);
  expect(payloads((await receive(2)).batch)).toEqual(["[4]"]);
});
