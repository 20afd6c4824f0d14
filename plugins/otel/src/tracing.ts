import type { MessageBatch, Metadata } from "@mqb/core/plugin";
import type * as otel from "@opentelemetry/api";
import { readContext } from "./trace-context.ts";

/** The parts of the OpenTelemetry API that are used; imported when a route opens. */
export type Api = typeof otel;

export interface Tracing {
  readonly api: Api;
  readonly tracer: otel.Tracer;
  readonly route: string;
}

const NAME = "@mqb/otel";
/** A span takes no more links than this by default. */
const MAX_LINKS = 128;

/** The API, and a tracer; undefined when it is not installed or the host has set no tracer provider. */
export async function findTracing(route: string): Promise<Tracing | undefined> {
  let api: Api;
  try {
    api = await import("@opentelemetry/api");
  } catch {
    return undefined;
  }
  return tracingOf(api, route);
}

/** Undefined when the host has set no tracer provider. */
export function tracingOf(api: Api, route: string): Tracing | undefined {
  const provider = api.trace.getTracerProvider() as Partial<otel.ProxyTracerProvider> & otel.TracerProvider;
  // The API's own provider stands for the host's; as long as there is none it has no tracer to delegate to.
  if (provider.getDelegateTracer && !provider.getDelegateTracer(NAME)) return undefined;
  return { api, tracer: provider.getTracer(NAME), route };
}

/** The span context that a message comes from. */
export function contextOf({ api }: Tracing, metadata: Metadata): otel.SpanContext | undefined {
  return readContext(metadata, api.createTraceState);
}

export interface Kind {
  readonly operation: "receive" | "send";
  readonly span: (api: Api) => otel.SpanKind;
}

export const RECEIVE: Kind = { operation: "receive", span: (api) => api.SpanKind.CONSUMER };
export const SEND: Kind = { operation: "send", span: (api) => api.SpanKind.PRODUCER };

/** A span for one message, which continues the trace that it comes from. */
export function startForMessage(tracing: Tracing, kind: Kind, batch: MessageBatch, index: number): otel.Span {
  const { api, tracer, route } = tracing;
  const parent = contextOf(tracing, batch.metadata(index));
  const from = parent ? api.trace.setSpanContext(api.ROOT_CONTEXT, parent) : api.ROOT_CONTEXT;
  const span = tracer.startSpan(
    `${route} ${kind.operation}`,
    { kind: kind.span(api), attributes: { "mqb.route": route } },
    from,
  );
  // An id is made when somebody asks for it.
  if (span.isRecording()) span.setAttribute("messaging.message.id", batch.id(index));
  return span;
}

/** One span for a batch: continues the trace of its messages when they have one in common, else it is linked to theirs. */
export function startForBatch(tracing: Tracing, kind: Kind, batch: MessageBatch): otel.Span {
  const { api, tracer, route } = tracing;
  const origins = originsOf(tracing, batch);
  const [only] = origins;
  const continues = origins.length === 1;
  const from = continues ? api.trace.setSpanContext(api.ROOT_CONTEXT, only!) : api.ROOT_CONTEXT;
  const options: otel.SpanOptions = {
    kind: kind.span(api),
    attributes: { "mqb.route": route, "messaging.batch.message_count": batch.length },
    links: continues ? [] : origins.map((context) => ({ context })),
  };
  return tracer.startSpan(`${route} ${kind.operation}`, options, from);
}

/** The different spans that the messages of a batch come from, at most as many as are linked. */
function originsOf(tracing: Tracing, batch: MessageBatch): otel.SpanContext[] {
  const origins = new Map<string, otel.SpanContext>();
  for (let i = 0; i < batch.length && origins.size < MAX_LINKS; i++) {
    const context = contextOf(tracing, batch.metadata(i));
    if (context) origins.set(`${context.traceId} ${context.spanId}`, context);
  }
  return [...origins.values()];
}

/** Ends a span as failed. */
export function endFailed({ api }: Tracing, span: otel.Span, message: string): void {
  span.setStatus({ code: api.SpanStatusCode.ERROR, message });
  span.end();
}
