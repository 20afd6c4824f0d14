import * as z from "zod";
import { field, integer, MAX_TIMER_MS } from "../fields.ts";
import { DEFAULT_CAPACITY } from "../memory/capacity.ts";

export const streamBufferSchema = z.strictObject({
  topic: z
    .string()
    .min(1, { error: "expected the name of a topic" })
    .meta({ description: "Name of the buffer; outputs and inputs of one bridge that name it meet there." }),
  correlation_id: z
    .string()
    .min(1, { error: "expected a correlation id" })
    .nullish()
    .meta({
      description: "Input: which stream is read. An output goes by the `correlation_id` of each message.",
      examples: ["req-123"],
      "x-mqb-side": "input",
    }),
  capacity: field(integer(1), DEFAULT_CAPACITY, {
    description: "Slots of each stream; a slot holds one batch. A full stream makes the sender wait.",
  }),
  idle_ttl_secs: field(integer(0, Math.floor(MAX_TIMER_MS / 1000)), 3600, {
    description: "A stream that nobody reads is discarded when nothing was added for so long; 0 = never.",
  }),
});

export type StreamBufferConfig = z.input<typeof streamBufferSchema>;
export type StreamBufferSettings = z.output<typeof streamBufferSchema>;
