import { defineMiddleware } from "@mqb/core/plugin";
import { retrySchema } from "./config.ts";
import { retryPublisher } from "./publisher.ts";

export const retry = defineMiddleware({
  description: "Sends messages again that failed for a time, after growing pauses",
  schema: retrySchema,
  output: (inner, settings, { clock }) => retryPublisher(inner, settings, clock),
});
