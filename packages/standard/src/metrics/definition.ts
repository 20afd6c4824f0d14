import { defineMiddleware, type OpenContext } from "@mqb/core/plugin";
import * as z from "zod";
import { wrapConsumer, wrapPublisher } from "../wrap.ts";
import { count, METRICS, MetricsRegistry, type SideMetrics } from "./registry.ts";

const metricsSchema = z.strictObject({});

export type MetricsConfig = z.input<typeof metricsSchema>;

export const metrics = defineMiddleware({
  description: "Counts messages and measures how long they take, for each side of a route",
  schema: metricsSchema,
  input(inner, _, context) {
    const { clock } = context;
    const side = sideOf(context);
    return wrapConsumer(inner, {
      async receive(max, signal) {
        const start = clock.monotonic();
        const delivery = await inner.receive(max, signal);
        const { length } = delivery.batch;
        count(side, length, length, clock.monotonic() - start);
        return delivery;
      },
    });
  },
  output(inner, _, context) {
    const { clock } = context;
    const side = sideOf(context);
    return wrapPublisher(inner, {
      async send(batch, signal) {
        const start = clock.monotonic();
        const outcomes = await inner.send(batch, signal);
        let handled = batch.length;
        if (outcomes) for (const outcome of outcomes) if (outcome.type === "failed") handled--;
        count(side, handled, batch.length, clock.monotonic() - start);
        return outcomes;
      },
    });
  },
});

function sideOf({ local, route, side }: OpenContext): SideMetrics {
  return local(METRICS, () => new MetricsRegistry()).of(route, side);
}
