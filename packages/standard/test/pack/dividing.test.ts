import { batchOf, Message } from "@mqb/core/plugin";
import { lineBatch } from "@mqb/testkit";
import { expect, it } from "vitest";
import { packed } from "./setup.ts";

const counts = async (...given: Parameters<typeof packed>) =>
  (await packed(...given)).map(({ metadata }) => metadata.get("mqb.pack.count"));

it("packs as many messages as allowed, and the rest into a last one", async () => {
  expect(await counts(lineBatch(10), { max_messages: 4 })).toEqual(["4", "4", "2"]);
  expect(await counts(lineBatch(8), { max_messages: 4 })).toEqual(["4", "4"]);
  expect(await counts(lineBatch(2500))).toEqual(["1000", "1000", "500"]);
});

it("closes a packed message before it grows beyond max_bytes", async () => {
  const batch = lineBatch(10, { bytes: 100 });
  expect(await counts(batch, { max_bytes: 350, drop_message_id: true })).toEqual(["3", "3", "3", "1"]);
  for (const one of await packed(batch, { max_bytes: 350, drop_message_id: true }))
    expect(one.payload.length).toBeLessThanOrEqual(350 + 9);
});

it("counts metadata as bytes too", async () => {
  const messages = Array.from({ length: 4 }, () => new Message("a", new Map([["k", "v".repeat(100)]])));
  expect(await counts(batchOf(messages), { max_bytes: 300 })).toEqual(["2", "2"]);
});

it("sends a message alone that is larger than max_bytes", async () => {
  const messages = ["a", "b".repeat(1000), "c", "d"].map((text) => new Message(text));
  expect(await counts(batchOf(messages), { max_bytes: 100, format: "benthos_binary" })).toEqual(["1", "1", "2"]);
});

it("sends the packed messages of a batch with one call", async () => {
  const one = await packed(lineBatch(10), { max_messages: 2 });
  expect(one).toHaveLength(5);
  expect(new Set(one.map(({ id }) => id)).size).toBe(5);
});
