import * as z from "zod";
import { decimal, field, integer, milliseconds } from "../fields.ts";

export const retrySchema = z.strictObject({
  max_attempts: field(integer(1), 3, {
    description: "How often a message is sent at most, the first time included; 1 = no retry.",
  }),
  initial_interval_ms: field(milliseconds(), 100, { description: "Pause before the second attempt." }),
  max_interval_ms: field(milliseconds(), 5_000, { description: "Longest pause between two attempts." }),
  multiplier: field(decimal(1), 2, { description: "By how much each pause is longer than the one before." }),
  jitter: field(decimal(0, 1), 0, {
    description: "Shortens each pause by a random share of up to this much, so that many senders do not retry in step.",
  }),
});

export type RetryConfig = z.input<typeof retrySchema>;
export type RetrySettings = z.output<typeof retrySchema>;
