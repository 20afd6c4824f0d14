import { defineMiddleware } from "@mqb/core/plugin";
import * as z from "zod";
import { integer, milliseconds } from "../fields.ts";
import { bufferedConsumer } from "./consumer.ts";
import { BufferedPublisher } from "./publisher.ts";

export const bufferSchema = z
  .strictObject({
    max_messages: integer(1).meta({
      description:
        "Passes on what has come as soon as it is this many messages. A larger batch is not cut on an output.",
      examples: [500],
    }),
    max_delay_ms: milliseconds().meta({
      description:
        "Passes on what has come after this time at the latest. 0 adds no wait: on an output, what comes while a batch is under way leaves as the next one.",
      examples: [20],
      "x-mqb-waits": true,
    }),
  })
  .meta({
    "x-mqb-one-worker": "batches may reach the destination in another order than they were read in",
    "x-mqb-order": [
      {
        side: "output",
        others: ["pack"],
        handles: "before",
        otherwise: "each packed message holds what one send brings",
      },
    ],
  });

export type BufferConfig = z.input<typeof bufferSchema>;
export type BufferSettings = z.output<typeof bufferSchema>;

export const buffer = defineMiddleware({
  description: "Makes larger batches of small ones",
  schema: bufferSchema,
  input: (inner, settings, context) => bufferedConsumer(inner, settings, context),
  output: (inner, settings, { clock }) => new BufferedPublisher(inner, settings, clock),
});
