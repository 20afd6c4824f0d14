import { lineBatch, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { run, setUp } from "./setup.ts";

describe.each([1, 8])("with a concurrency of %i", (concurrency) => {
  it("what was packed comes out of the other route as it was, in order, each message counted", async () => {
    const { source, sink, bridge } = setUp();
    const names = Array.from({ length: 5000 }, (_, n) => `message ${n}`);
    for (let at = 0; at < 5000; at += 500) source.push(lineBatch(500, { from: at, metadata: true }));
    source.pushEmpty();
    const common = { concurrency, batch_size: 500, exit_on_empty: true };
    const topic = { topic: "packed", capacity: 1000 };
    const packing = await run(bridge, "pack", {
      input: { source: {} },
      output: { memory: topic, middlewares: [{ pack: { max_messages: 64 } }] },
      ...common,
    });
    expect(packing).toMatchObject({ outcome: "completed", accounting: { received: 5000, delivered: 5000 } });
    const unpacking = await run(bridge, "unpack", {
      input: { memory: topic, middlewares: [{ unpack: {} }] },
      output: { sink: {} },
      ...common,
      batch_size: 50,
    });
    expect(unpacking).toMatchObject({
      outcome: "completed",
      accounting: { received: 5000, delivered: 5000, inFlight: 0 },
    });
    expect(texts(sink.messages)).toEqual(names);
    expect(sink.messages.every((message, n) => message.metadata.get("n") === String(n))).toBe(true);
  });
});

it("a message that is nacked brings its whole packed message back", async () => {
  const { source, sink, bridge } = setUp();
  source.push(lineBatch(4)).pushEmpty();
  const topic = { topic: "again", enable_nack: true };
  await run(bridge, "pack", {
    input: { source: {} },
    output: { memory: topic, middlewares: ["pack"] },
    exit_on_empty: true,
  });
  let refused = false;
  sink.failWhen((message) => {
    if (refused || message.text() !== "message 2") return undefined;
    refused = true;
    return new Error("once");
  });
  const result = await run(bridge, "unpack", {
    input: { memory: topic, middlewares: ["unpack"] },
    output: { sink: {} },
    exit_on_empty: true,
  });
  expect(texts(sink.messages)).toEqual([0, 1, 3, 0, 1, 2, 3].map((n) => `message ${n}`));
  expect(result).toMatchObject({ outcome: "completed", accounting: { received: 8, delivered: 7, nacked: 1 } });
});
