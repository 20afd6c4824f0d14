import { ACCEPTED, defineMiddleware, type MessageBatch, type Publisher } from "@mqb/core/plugin";
import { ANY_CONFIG, fakePlugin } from "@mqb/testkit";
import { expect, it } from "vitest";
import { runPipeline } from "./run.ts";

/** MQB_PIPELINES=10000 is the long form. */
const COUNT = Number(process.env["MQB_PIPELINES"] || 90);
const PER_TEST = 30;
/** The machine may be busy; thirty pipelines take less than a second. */
const PATIENCE_MS = 120_000;

it.each(Array.from({ length: COUNT / PER_TEST }, (_, part) => part * PER_TEST))(
  "explains the fate of every message of random pipelines, from seed %i on",
  async (from) => {
    for (let seed = from; seed < from + PER_TEST; seed++) {
      const { pipeline, wrong } = await runPipeline(seed);
      expect(wrong, `seed ${seed}: ${JSON.stringify(pipeline)}`).toEqual([]);
    }
  },
  PATIENCE_MS,
);

type Send = (inner: Publisher, batch: MessageBatch, signal: AbortSignal) => ReturnType<Publisher["send"]>;

/** Says of the first message of a batch that it was accepted, and sends the others. */
const losing: Send = async (inner, batch, signal) => {
  const rest = Uint32Array.from({ length: batch.length - 1 }, (_, index) => index + 1);
  const outcomes = await inner.send(batch.select(rest), signal);
  return outcomes && [ACCEPTED, ...outcomes];
};

const repeating: Send = async (inner, batch, signal) => {
  await inner.send(batch, signal);
  return inner.send(batch, signal);
};

it.each([
  ["loses messages", losing, "was acknowledged and is nowhere"],
  ["sends messages twice", repeating, "came 2 times, not 1"],
])(
  "notices a middleware that %s",
  async (_, send, complaint) => {
    const definition = defineMiddleware({
      description: "A fault.",
      schema: ANY_CONFIG,
      output: (inner) => ({ send: (batch, signal) => send(inner, batch, signal), close: () => inner.close() }),
    });
    const plugins = [fakePlugin({}, { middlewares: { faulty: definition } })];
    const found: string[] = [];
    for (let seed = 0; seed < 12; seed++) {
      const { wrong } = await runPipeline(seed, { output: { faulty: {} }, plugins });
      found.push(...wrong);
    }
    expect(found.join("; ")).toContain(complaint);
  },
  PATIENCE_MS,
);
