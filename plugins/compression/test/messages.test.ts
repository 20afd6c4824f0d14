import { batchOf, codeOf, describeError, kindOf, Message, NACK } from "@mqb/core/plugin";
import { messages, slabOf, texts } from "@mqb/testkit";
import { describe, expect, it, vi } from "vitest";
import { CODECS, compressedMessages, compressedSink, decompressedSource, NEVER } from "./compressing.ts";

const parts = (list: Iterable<Message>) =>
  Array.from(list, ({ id, payload, metadata }) => ({ id, payload: [...payload], metadata: [...metadata] }));

describe.each(CODECS)("with %s", (algorithm) => {
  it.each([
    ["messages", batchOf],
    ["a slab", slabOf],
  ])("messages come out of the other side as they were: %s", async (_, make) => {
    const sent = [
      ...messages(20, { metadata: true }),
      new Message("", new Map([["k", ""]])),
      new Message(Buffer.of(0, 255)),
    ];
    const { sink, publisher } = await compressedSink({ algorithm });
    expect(await publisher.send(make(sent), NEVER)).toBeUndefined();
    expect(sink.messages.map(({ id, metadata }) => [id, [...metadata]])).toEqual(
      sent.map(({ id, metadata }) => [id, [...metadata]]),
    );
    const { source, consumer } = await decompressedSource({ algorithm });
    source.push(make(sink.messages));
    expect(parts((await consumer.receive(100, NEVER)).batch)).toEqual(parts(sent));
  });

  it("a payload that is no such data ends the route for good, and no payload is quoted", async () => {
    const { source, consumer } = await decompressedSource({ algorithm });
    const [good] = await compressedMessages(algorithm, messages(1));
    const bad = new Message("secret words");
    source.push([good!, bad, good!]);
    const before = await consumer.receive(10, NEVER);
    expect(texts(before.batch)).toEqual(["message 0"]);
    const error = await consumer.receive(10, NEVER).catch((thrown: unknown) => thrown);
    expect(codeOf(error)).toBe("MQB_COMPRESSION_UNREADABLE");
    expect(kindOf(error, "connection")).toBe("permanent");
    expect(describeError(error)).toContain(bad.id);
    expect(describeError(error)).toContain(`not ${algorithm} data`);
    expect(describeError(error)).not.toContain("secret");
    await before.commit();
    await consumer.close();
    expect(source.commits[0]!.dispositions?.map(({ type }) => type)).toEqual(["ack", "nack", "nack"]);
  });

  it("it is dropped with on_error: drop, acked, and the others go on at their places", async () => {
    const { source, context, consumer } = await decompressedSource({ algorithm, on_error: "drop" });
    const [a, b] = await compressedMessages(algorithm, messages(2, { metadata: true }));
    context.accounting.receive(5);
    source.push([new Message("x"), a!, new Message(""), b!, new Message("y")]);
    const { batch, commit } = await consumer.receive(10, NEVER);
    expect(parts(batch).map(({ id, metadata }) => [id, metadata])).toEqual([
      [a!.id, [["n", "0"]]],
      [b!.id, [["n", "1"]]],
    ]);
    expect(texts(batch)).toEqual(["message 0", "message 1"]);
    await commit([NACK, NACK]);
    expect(source.commits[0]!.dispositions?.map(({ type }) => type)).toEqual(["ack", "nack", "ack", "nack", "ack"]);
    expect(context.accounting.snapshot()).toMatchObject({ received: 5, filtered: 3, inFlight: 2 });
    expect(context.log.at("warn")).toEqual([expect.stringMatching(/^3 message\(s\) were dropped; the first one: /)]);
  });
});

it("the memory of what was received is given back when nobody looks at what came out of it", async () => {
  const release = vi.fn();
  const { source, consumer } = await decompressedSource({ algorithm: "gzip" }, (inner) => ({
    receive: async (max, signal) => ({ ...(await inner.receive(max, signal)), release }),
    close: () => inner.close(),
  }));
  source.push(await compressedMessages("gzip", messages(2)));
  const delivery = await consumer.receive(10, NEVER);
  expect(texts(delivery.batch)).toEqual(["message 0", "message 1"]);
  expect(release).not.toHaveBeenCalled();
  delivery.release!();
  expect(release).toHaveBeenCalledOnce();
});

it("algorithm none leaves everything as it is, and is not even in the way", async () => {
  const { source, consumer } = await decompressedSource({ algorithm: "none" });
  expect(consumer).toBe(source);
  const { sink, publisher } = await compressedSink({ algorithm: "none" });
  expect(publisher).toBe(sink);
});

it("zstd is what is meant when nothing is said", async () => {
  const { sink, publisher } = await compressedSink();
  await publisher.send(batchOf(messages(1)), NEVER);
  expect(Buffer.from(sink.messages[0]!.payload.subarray(0, 4)).toString("hex")).toBe("28b52ffd");
});
