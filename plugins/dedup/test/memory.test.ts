import { Message } from "@mqb/core/plugin";
import { FakeScope, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER, open } from "./opened.ts";

async function pass(opened: Awaited<ReturnType<typeof open>>, ...payloads: string[]): Promise<string[]> {
  opened.source.push(payloads.map((payload) => new Message(payload)));
  const { batch, commit } = await opened.consumer.receive(100, NEVER);
  await commit();
  return texts(batch);
}

it("is shared by routes that name it, and keeps its keys across reconnects", async () => {
  const scope = new FakeScope();
  const one = await open({ store: "memory://orders" }, { scope, route: "one" });
  expect(await pass(one, "a")).toEqual(["a"]);
  await one.consumer.close();
  const two = await open({ store: "memory://orders" }, { scope, route: "two" });
  const other = await open({ store: "memory://" }, { scope, route: "two" });
  expect([await pass(two, "a", "b"), await pass(other, "a")]).toEqual([["b"], ["a"]]);
});

it("forgets the oldest beyond max_keys, and warns once", async () => {
  const opened = await open({ store: "memory://?max_keys=2" });
  await pass(opened, "a", "b", "c");
  await pass(opened, "d");
  expect(await pass(opened, "c", "d", "a")).toEqual(["a"]);
  expect(await pass(opened, "b")).toEqual(["b"]);
  expect(opened.context.log.at("warn")).toEqual([expect.stringMatching(/memory:\/\/test .*max_keys=2/)]);
});

it("warns once of messages without the key, which go by their id", async () => {
  const opened = await open({ key: "${payload:k}" });
  const { source, consumer, context } = opened;
  const message = new Message("{}");
  source.push([message, new Message("{}"), message]).push([new Message("{}")]);
  const { batch, commit } = await consumer.receive(10, NEVER);
  await commit();
  expect(batch.length).toBe(2);
  await consumer.receive(10, NEVER);
  expect(context.log.at("warn")).toEqual([expect.stringContaining("3 of 3 messages")]);
  expect(context.log.at("debug")).toHaveLength(1);
});
