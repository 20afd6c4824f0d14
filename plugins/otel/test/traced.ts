import { AsyncLocalStorage } from "node:async_hooks";
import type { Message } from "@mqb/core/plugin";
import * as api from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import type { Tracing } from "../src/tracing.ts";

export const never = new AbortController().signal;

export const TRACE = "0af7651916cd43dd8448eb211c80319c";
export const SPAN = "b7ad6b7169203331";

/** Spans in the memory of a test, without a global provider. */
export class Recorded implements AsyncDisposable {
  readonly exporter = new InMemorySpanExporter();
  readonly provider: BasicTracerProvider;
  readonly tracing: Tracing;

  constructor(sampler?: Sampler) {
    const spanProcessors = [new SimpleSpanProcessor(this.exporter)];
    this.provider = new BasicTracerProvider({ spanProcessors, ...(sampler ? { sampler } : {}) });
    this.tracing = { api, tracer: this.provider.getTracer("test"), route: "orders" };
  }

  /** Those that have ended, in that order. */
  get spans(): readonly ReadableSpan[] {
    return this.exporter.getFinishedSpans();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.provider.shutdown();
  }
}

/** What counts of a span. */
export function brief({ name, kind, status, attributes, parentSpanContext, links }: ReadableSpan) {
  return {
    name,
    kind: api.SpanKind[kind],
    error: status.code === api.SpanStatusCode.ERROR ? status.message : undefined,
    attributes,
    parent: parentSpanContext && `${parentSpanContext.traceId}-${parentSpanContext.spanId}`,
    links: links.map(({ context }) => `${context.traceId}-${context.spanId}`),
  };
}

export function parentOf(message: Message): string | undefined {
  return message.metadata.get("traceparent");
}

export function pointsAt(span: ReadableSpan): string {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

/** Spans of what runs inside of another one find it. For the length of a test. */
export function contexts(): Disposable {
  const storage = new AsyncLocalStorage<api.Context>();
  const manager: api.ContextManager = {
    active: () => storage.getStore() ?? api.ROOT_CONTEXT,
    with: (context, fn, self, ...args) => storage.run(context, () => fn.call(self, ...args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  api.context.setGlobalContextManager(manager);
  return { [Symbol.dispose]: () => api.context.disable() };
}
