import { defineMiddleware, type OpenContext } from "@mqb/core/plugin";
import * as z from "zod";
import { measuredConsumer } from "./consumer.ts";
import { measuredPublisher } from "./publisher.ts";
import { METRICS, MetricsRegistry, type SideMetrics } from "./registry.ts";

const metricsSchema = z.strictObject({});

export type MetricsConfig = z.input<typeof metricsSchema>;

export const metrics = defineMiddleware({
  description: "Counts messages and measures how long they take, for each side of a route",
  schema: metricsSchema,
  keepsNothing: true,
  input: (inner, _, context) => measuredConsumer(inner, sideOf(context), context.clock),
  output: (inner, _, context) => measuredPublisher(inner, sideOf(context), context.clock),
});

function sideOf({ local, route, side }: OpenContext): SideMetrics {
  return local(METRICS, () => new MetricsRegistry()).of(route, side);
}
