import {
  type CheckContext,
  defineEndpoint,
  type Finding,
  type InputCapabilities,
  isMqbError,
  type OpenContext,
  type OutputCapabilities,
  systemClock,
} from "@mqb/core/plugin";
import { bodyTemplate } from "./body.ts";
import { type StaticSettings, staticSchema } from "./config.ts";
import { StaticConsumer } from "./consumer.ts";
import { staticPublisher } from "./publisher.ts";

export const staticEndpoint = defineEndpoint({
  description: "A fixed message, made from a template",
  schema: staticSchema,
  structural: true,
  input: {
    capabilities: (): InputCapabilities => ({
      acknowledges: true,
      commitsInOrder: false,
      replies: false,
      stableIds: false,
      replayablePosition: false,
      bounded: true,
    }),
    open(config, context) {
      // A source sends the body as it is: `raw` is about answers.
      const template = bodyTemplate(config, { encode: false, clock: context.clock, counter: counterOf(context) });
      return new StaticConsumer(template, config, {
        once: context.draining,
        given: context.session.has(GIVEN),
        settled: () => context.session.set(GIVEN, true),
      });
    },
  },
  output: {
    capabilities: (): OutputCapabilities => ({
      acknowledges: true,
      replies: true,
      orderedPublish: false,
      idempotent: false,
      answersBatches: true,
    }),
    open(config, context) {
      const options = { encode: !config.raw, clock: context.clock, counter: counterOf(context) };
      return staticPublisher(bodyTemplate(config, options), config);
    },
  },
  check,
  probe: async () => [{ check: "reachable", ok: true, detail: "there is nothing to reach: the message is made here" }],
});

const GIVEN = "static given";
const COUNTER = "static counter";

/** Counts on after a reconnect. */
function counterOf({ session }: OpenContext): { next: number } {
  const counter = (session.get(COUNTER) as { next: number } | undefined) ?? { next: 0 };
  session.set(COUNTER, counter);
  return counter;
}

function check(config: StaticSettings, { side }: CheckContext): Finding[] {
  try {
    bodyTemplate(config, { encode: side === "output" && !config.raw, clock: systemClock, counter: { next: 0 } });
    return [];
  } catch (error) {
    if (!isMqbError(error)) throw error;
    const { code, message, hint } = error;
    return [{ level: "error", path: [], code, message, ...(hint === undefined ? {} : { hint }) }];
  }
}
