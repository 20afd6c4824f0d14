import { defineMiddleware } from "@mqb/core/plugin";
import { METRICS, MetricsRegistry } from "../metrics/registry.ts";
import { retrySchema } from "./config.ts";
import { retryPublisher } from "./publisher.ts";

export const retry = defineMiddleware({
  description: "Sends messages again that failed for a time, after growing pauses",
  schema: retrySchema,
  output(inner, settings, { clock, local, route }) {
    const registry = local(METRICS, () => new MetricsRegistry());
    return retryPublisher(inner, settings, clock, (count) => registry.retry(route, count));
  },
});
