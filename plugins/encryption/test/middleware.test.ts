import { ACCEPTED, ACK, batchOf, type Consumer, failed, Message, NACK, type Publisher } from "@mqb/core/plugin";
import { CollectingPublisher, fakeContext, ScriptedConsumer } from "@mqb/testkit";
import { describe, expect, it, vi } from "vitest";
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
  const drop = vi.spyOn(context.accounting, "drop");
  const consumer = await encryption.input!(source, settings(more), context);
  return { source, consumer, context, drop, delivery: consumer.receive(100, never) };
}

describe("on an input", () => {
  const messages = () => [sealOne("a"), "plain", sealOne("b")].map((payload) => new Message(payload));

  it("what cannot be decrypted is dropped for good by default: acked, and the route is told which, how many and why", async () => {
    const all = messages();
    const { source, context, drop, delivery } = await received(all);
    const { batch, commit } = await delivery;
    expect(texts(batch)).toEqual(["a", "b"]);
    expect(drop.mock.calls).toEqual([[1, all[1]!.id, expect.objectContaining({ code: "MQB_ENCRYPTION_NOT_SEALED" })]]);
    expect(context.accounting.get("dropped")).toBe(1);
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

it("the memory of what was received is given back when nobody looks at what came out of it", async () => {
  for (const payloads of [[sealOne("a")], [sealOne("a"), "plain"]]) {
    const release = vi.fn();
    const source = new ScriptedConsumer();
    source.push(payloads.map((payload) => new Message(payload)));
    const inner: Consumer = {
      receive: async (max, signal) => ({ ...(await source.receive(max, signal)), release }),
      close: () => source.close(),
    };
    const consumer = await encryption.input!(inner, settings(), fakeContext());
    const { batch, release: give } = await consumer.receive(100, never);
    expect(texts(batch)).toEqual(["a"]);
    expect(release).not.toHaveBeenCalled();
    give!();
    expect(release).toHaveBeenCalledOnce();
  }
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

  it.each([
    ["is written over by the next one where the sink keeps nothing", true],
    ["is left alone where the sink may keep it", false],
  ])("the memory of a batch %s", async (_, keepsNothing) => {
    const seen: ArrayBufferLike[] = [];
    let failing = false;
    const sink: Publisher = {
      async send(batch) {
        seen.push(batch.slab!.bytes.buffer);
        if (failing) throw new Error("no");
        return undefined;
      },
      close: async () => {},
    };
    const publisher = await encryption.output!(sink, settings(), fakeContext({ below: { keepsNothing } }));
    await publisher.send(listOf(["one"]), never);
    await publisher.send(listOf(["two"]), never);
    expect(seen[1] === seen[0]).toBe(keepsNothing);
    failing = true;
    await publisher.send(listOf(["three"]), never).catch(() => {});
    await publisher.send(listOf(["four"]), never).catch(() => {});
    expect(seen[3] === seen[2]).toBe(false);
  });

  it("an empty batch passes", async () => {
    const sink = new CollectingPublisher();
    const publisher = await encryption.output!(sink, settings(), fakeContext());
    expect(await publisher.send(batchOf([]), never)).toBeUndefined();
  });
});
