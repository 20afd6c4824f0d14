import { defineMiddleware, type OpenContext } from "@mqb/core/plugin";
import * as z from "zod";
import { limitedConsumer } from "./consumer.ts";
import { Pace } from "./pace.ts";
import { limitedPublisher } from "./publisher.ts";

export const limiterSchema = z.strictObject({
  messages_per_second: z
    .number({ error: "expected a number > 0" })
    .gt(0, { error: ({ input }) => `expected a number > 0, not ${String(input)}` })
    .meta({
      description: "How many messages pass in a second, on average and as near as possible.",
      examples: [250, 0.5],
    }),
});

export type LimiterConfig = z.input<typeof limiterSchema>;

export const limiter = defineMiddleware({
  description: "Lets messages pass at a given rate",
  schema: limiterSchema,
  input: (inner, settings, context) => limitedConsumer(inner, paceOf(settings.messages_per_second, context), context),
  output: (inner, settings, context) => limitedPublisher(inner, paceOf(settings.messages_per_second, context), context),
});

/** Goes on after a reconnect, which would let a burst pass otherwise. */
function paceOf(perSecond: number, { session, clock }: OpenContext): Pace {
  const before = session.get("pace") as Pace | undefined;
  if (before) return before;
  const pace = new Pace(perSecond, clock);
  session.set("pace", pace);
  return pace;
}
