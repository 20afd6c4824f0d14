import { ACCEPTED, ACK, batchOf, failed, Message, NACK, type Publisher } from "@mqb/core/plugin";
import { CollectingPublisher, fakeContext, ScriptedConsumer } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { type EncryptionConfig, encryptionSchema } from "../src/config.ts";
import { encryption } from "../src/definition.ts";
import { codeOf } from "./inspecting.ts";
import { KEY, listOf, OTHER_KEY, opener, sealOne, texts } from "./sealing.ts";

const never = new AbortController().signal;
const settings = (more: Partial<EncryptionConfig> = {}) => encryptionSchema.parse({ key: KEY, ...more });

async function received(messages: readonly Message[], more: Partial<EncryptionConfig> = {}) {
  const source = new ScriptedConsumer();
  source.push(messages);
  const context = fakeContext();
  context.accounting.receive(messages.length);
  const consumer = await encryption.input!(source, settings(more), context);
  return { source, consumer, context, delivery: consumer.receive(100, never) };
}

describe("on an input", () => {
  const messages = () => [sealOne("a"), "plain", sealOne("b")].map((payload) => new Message(payload));

  it("what cannot be decrypted is dropped by default: logged once, acked, and counted", async () => {
    const { source, context, delivery } = await received(messages());
    const { batch, commit } = await delivery;
    expect(texts(batch)).toEqual(["a", "b"]);
    expect(context.accounting.get("filtered")).toBe(1);
    expect(context.log.at("warn")).toEqual([
      expect.stringMatching(
        /^1 message\(s\) could not be decrypted and were dropped; the first one: the payload is no/,
      ),
    ]);
    await commit([ACK, NACK]);
    expect(source.commits.map((one) => one.dispositions)).toEqual([[ACK, ACK, NACK]]);
  });

  it("a batch of which nothing is left says so, and is acked", async () => {
    const { source, delivery } = await received(messages(), { key: OTHER_KEY });
    const { batch, emptied, commit } = await delivery;
    expect([batch.length, emptied]).toEqual([0, true]);
    await commit();
    expect(source.commits.map((one) => one.dispositions)).toEqual([undefined]);
  });

  it("with on_error: fail what comes before is delivered, then the route ends and the rest is not acked", async () => {
    const { source, consumer, delivery } = await received(messages(), { on_error: "fail" });
    const { batch, commit } = await delivery;
    expect(texts(batch)).toEqual(["a"]);
    await commit();
    expect(source.commits.map((one) => one.dispositions)).toEqual([[ACK, NACK, NACK]]);
    const error = await consumer.receive(100, never).catch((cause: unknown) => cause);
    expect(codeOf(error)).toBe("MQB_ENCRYPTION_NOT_SEALED");
    expect(error).toMatchObject({ kind: "permanent" });
  });

  it("with on_error: fail the route ends at once where the first message cannot be decrypted", async () => {
    const { source, delivery } = await received(messages(), { on_error: "fail", key: OTHER_KEY });
    expect(codeOf(await delivery.catch((cause: unknown) => cause))).toBe("MQB_ENCRYPTION_NOT_AUTHENTIC");
    expect(source.commits).toEqual([]);
  });
});

describe("on an output", () => {
  it("outcomes stay where they are", async () => {
    const outcomes = [ACCEPTED, failed(new Error("no"))];
    const sent: Buffer[] = [];
    const sink: Publisher = {
      async send(batch) {
        for (let i = 0; i < batch.length; i++) sent.push(Buffer.from(batch.payload(i)));
        return outcomes;
      },
      close: async () => {},
    };
    const publisher = await encryption.output!(sink, settings(), fakeContext());
    expect(await publisher.send(listOf(["a", "b"]), never)).toBe(outcomes);
    expect(texts(opener().open(listOf(sent)).batch)).toEqual(["a", "b"]);
  });

  it("an empty batch passes", async () => {
    const sink = new CollectingPublisher();
    const publisher = await encryption.output!(sink, settings(), fakeContext());
    expect(await publisher.send(batchOf([]), never)).toBeUndefined();
  });
});
