import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, Message, type MessageBatch } from "@mqb/core/plugin";
import { fakeContext, lineBatch, ScriptedConsumer, slabOf } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { NEVER } from "../opened.ts";

const PAYLOAD_ID = "${payload:order_id}";

async function received(template: string, batch: MessageBatch, context = fakeContext()): Promise<MessageBatch> {
  const source = new ScriptedConsumer().push(batch);
  const consumer = await standard.middlewares!["id"]!.input!(source, template, context);
  return (await consumer.receive(100, NEVER)).batch;
}

const idsOf = (batch: MessageBatch) => Array.from(batch, ({ metadata }) => metadata.get("mqb.id"));

it.each([
  ["messages", (list: Message[]) => batchOf(list)],
  ["a slab", (list: Message[]) => slabOf(list)],
])("takes the id from the bytes of the payload, every digit kept: %s", async (_, make) => {
  const payloads = [
    '{"order_id":"A-1"}',
    '{"order_id":1.0}',
    '{"order_id":12345678901234567890123}',
    '{"order_id":{"a":1}}',
  ];
  const before = make(payloads.map((payload) => new Message(payload, new Map([["k", "v"]]))));
  const after = await received(PAYLOAD_ID, before);
  expect(idsOf(after)).toEqual(["A-1", "1.0", "12345678901234567890123", '{"a":1}']);
  expect(Array.from(after, (message) => message.id)).toEqual(Array.from(before, (message) => message.id));
  expect(after.metadata(0).get("k")).toBe("v");
});

it("gives no id to a message for which one value of the template is not there", async () => {
  const batch = batchOf([
    new Message('{"id":1}', new Map([["tenant", "x"]])),
    new Message('{"id":1}'),
    new Message("{}", new Map([["tenant", "y"]])),
    new Message("no JSON", new Map([["tenant", "z"]])),
    new Message('{"id":null}', new Map([["tenant", "z"]])),
  ]);
  expect(idsOf(await received("${metadata:tenant}/${payload:id}", batch))).toEqual([
    "x/1",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

it("passes a batch on as it is when no message has an id", async () => {
  const batch = lineBatch(3);
  expect(await received(PAYLOAD_ID, batch)).toBe(batch);
});

it("makes no message of bytes until somebody asks for one", async () => {
  const batch = slabOf([new Message('{"order_id":1}')]);
  batch.at = () => {
    throw new Error("a message was made");
  };
  const after = await received(PAYLOAD_ID, batch);
  expect(after.slab).toBe(batch.slab);
  expect(after.metadata(0).get("mqb.id")).toBe("1");
  expect(after.metadata(0)).toBe(after.metadata(0));
  const text = Buffer.alloc(36);
  after.writeId!(0, text, 0);
  expect(text.toString()).toBe(batch.id(0));
});

it("warns once in a route of messages without an id, and goes on quietly", async () => {
  const context = fakeContext();
  await received(PAYLOAD_ID, batchOf([new Message("{}"), new Message("{}")]), context);
  await received(PAYLOAD_ID, batchOf([new Message("{}")]), context);
  expect(context.log.at("warn")).toEqual([expect.stringContaining("2 message(s) got no mqb.id")]);
  expect(context.log.at("debug")).toHaveLength(1);
});

it("gives keys of the message's own no power over what it reads", async () => {
  const batch = batchOf([new Message('{"__proto__":{"order_id":1},"constructor":2}')]);
  expect(idsOf(await received(PAYLOAD_ID, batch))).toEqual([undefined]);
  expect(idsOf(await received("${payload:constructor}", batch))).toEqual(["2"]);
  expect(idsOf(await received("${payload:toString}", batch))).toEqual([undefined]);
});

const bridge = createBridge({ registry: createRegistry([standard]) });
const check = (id: unknown) => bridge.check("r", { input: { memory: { topic: "a" }, middlewares: [{ id }] } }).problems;

it.each([["${payload:order_id"], ["orders"], [""], ["$${payload:n}"], ["${body:n}"], ["${gen:nothing}"]])(
  "refuses the template %s at the check",
  (template) => {
    expect(check(template)).toEqual([
      expect.objectContaining({ level: "error", path: ["input", "middlewares", 0, "id"] }),
    ]);
  },
);

it("names what is wrong with a constant", () => {
  expect(check("orders")[0]!.message).toMatch(/"orders" has no \$\{\.\.\.\} token/);
});

it("refuses a map", () => {
  expect(check({ template: PAYLOAD_ID })[0]).toMatchObject({
    level: "error",
    message: expect.stringContaining("string"),
  });
});

it("warns of an id that is another one each time", () => {
  expect(check("${payload:n}-${gen:uuid}")).toEqual([
    expect.objectContaining({ level: "warning", code: "MQB_STANDARD_ID_NEW_EACH_TIME" }),
  ]);
  expect(check("${metadata:k}-${message:id}")).toEqual([]);
});
