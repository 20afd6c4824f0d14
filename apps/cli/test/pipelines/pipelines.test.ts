import { ACCEPTED, defineMiddleware } from "@mqb/core/plugin";
import { ANY_CONFIG, fakePlugin } from "@mqb/testkit";
import { expect, it } from "vitest";
import { runPipeline } from "./run.ts";

const COUNT = 90;
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

/** Says of the first message of a batch that it was accepted, and sends the others. */
const lossy = fakePlugin(
  {},
  {
    middlewares: {
      lossy: defineMiddleware({
        description: "A fault.",
        schema: ANY_CONFIG,
        output: (inner) => ({
          ...inner,
          send: async (batch, signal) => {
            const rest = Uint32Array.from({ length: batch.length - 1 }, (_, index) => index + 1);
            const outcomes = await inner.send(batch.select(rest), signal);
            return outcomes && [ACCEPTED, ...outcomes];
          },
          close: () => inner.close(),
        }),
      }),
    },
  },
);

it(
  "notices a middleware that loses messages",
  async () => {
    const found: string[] = [];
    for (let seed = 0; seed < 10; seed++) {
      const { wrong } = await runPipeline(seed, { output: { lossy: {} }, plugins: [lossy] });
      found.push(...wrong);
    }
    expect(found.join("; ")).toContain("was acknowledged and is nowhere");
  },
  PATIENCE_MS,
);
