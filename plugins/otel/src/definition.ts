import { defineMiddleware, type OpenContext } from "@mqb/core/plugin";
import { otelSchema } from "./config.ts";
import { tracedConsumer } from "./consumer.ts";
import { tracedPublisher } from "./publisher.ts";
import { findTracing, type Tracing } from "./tracing.ts";

export const otel = defineMiddleware({
  description: "Makes an OpenTelemetry span for each message or batch and carries the trace context in their metadata",
  schema: otelSchema,
  async input(inner, { spans }, context) {
    const tracing = await open(context);
    return tracing ? tracedConsumer(inner, tracing, spans) : inner;
  },
  async output(inner, { spans }, context) {
    const tracing = await open(context);
    return tracing ? tracedPublisher(inner, tracing, spans) : inner;
  },
});

/** Looked for at each opening: the host has to set its provider before the route starts. */
async function open({ route, path, log }: OpenContext): Promise<Tracing | undefined> {
  const tracing = await findTracing(route);
  if (!tracing) log.info(`${path}: no OpenTelemetry tracer provider is set, so no spans are made`, { route });
  return tracing;
}
