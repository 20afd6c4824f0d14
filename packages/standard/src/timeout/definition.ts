import { defineMiddleware } from "@mqb/core/plugin";
import * as z from "zod";
import { milliseconds } from "../fields.ts";
import { timeoutPublisher } from "./publisher.ts";

export const timeoutSchema = z
  .strictObject({
    timeout_ms: milliseconds(1).meta({
      description: "Longest time that one send may take; what has no answer then failed, and may be sent again.",
      examples: [30_000],
      "x-mqb-gives-up": true,
    }),
  })
  .meta({
    "x-mqb-order": [
      { side: "output", others: ["retry"], handles: "after", otherwise: "all attempts together get the time of one" },
    ],
  });

export type TimeoutConfig = z.input<typeof timeoutSchema>;

export const timeout = defineMiddleware({
  description: "Fails a send that does not finish in time, as one that may be tried again",
  schema: timeoutSchema,
  // A send that is late keeps what it has, but its messages are nacked then, and nacked messages are not given back.
  keepsNothing: true,
  output: (inner, settings, context) => timeoutPublisher(inner, settings.timeout_ms, context),
});
