import { FakeClock, isPending, recordingLogger, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { Claim, SqlQueue } from "../src/contract.ts";
import { Pauses } from "../src/source/pause.ts";
import { QueueConsumer } from "../src/source/queue-consumer.ts";

const NOTHING: Claim = { ids: [], payloads: [], token: "" };
const ROW: Claim = { ids: ["1"], payloads: [Buffer.from("a")], token: "t" };
const never = new AbortController().signal;

/** Claims as scripted, then nothing; `free` rows are there whether they can be claimed or not. */
function opened(claims: readonly Claim[], free: () => number, draining: boolean) {
  const clock = new FakeClock();
  const left = [...claims];
  const queue: SqlQueue = {
    claim: async () => left.shift() ?? NOTHING,
    takeUnsure: () => [],
    remove: async () => {},
    release: async () => {},
    renew: async (claim) => claim,
    pending: async () => free(),
  };
  const consumer = new QueueConsumer({
    queue,
    remove: true,
    session: new Map(),
    pauses: new Pauses(clock, 100, undefined),
    clock,
    log: recordingLogger(),
    draining,
    target: "t",
    details: {},
    release: async () => {},
  });
  return { consumer, clock };
}

describe("a drain of a queue", () => {
  it("goes on while rows are free that nobody can claim now", async () => {
    let free = 1;
    const { consumer, clock } = opened([NOTHING, ROW], () => free, true);
    const receiving = consumer.receive(10, never);
    expect(await isPending(receiving)).toBe(true);
    await clock.advance(100);
    const delivery = await receiving;
    expect(texts(delivery.batch)).toEqual(["a"]);
    free = 0;
    await delivery.commit(undefined);
    expect((await consumer.receive(10, never)).batch.length).toBe(0);
    await consumer.close();
  });

  it("is over when no row is free", async () => {
    const { consumer } = opened([], () => 0, true);
    expect((await consumer.receive(10, never)).batch.length).toBe(0);
    await consumer.close();
  });
});

it("a queue that is not drained is not counted", async () => {
  const count = () => {
    throw new Error("counted");
  };
  const { consumer, clock } = opened([NOTHING, ROW], count, false);
  const receiving = consumer.receive(10, never);
  expect(await isPending(receiving)).toBe(true);
  await clock.advance(100);
  expect(texts((await receiving).batch)).toEqual(["a"]);
  await consumer.close();
});
