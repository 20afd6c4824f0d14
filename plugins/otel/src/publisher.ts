import { describeError, type MessageBatch, type Outcome, type Publisher } from "@mqb/core/plugin";
import type { Span } from "@opentelemetry/api";
import type { OtelConfig } from "./config.ts";
import { withContext } from "./trace-context.ts";
import { endFailed, SEND, startForBatch, startForMessage, type Tracing } from "./tracing.ts";
import { withMetadata } from "./with-metadata.ts";

/** Spans that last as long as a send; the messages that are sent point at them. */
export function tracedPublisher(
  inner: Publisher,
  tracing: Tracing,
  spans: NonNullable<OtelConfig["spans"]>,
): Publisher {
  return {
    async send(batch, signal) {
      const started = spans === "batch" ? [startForBatch(tracing, SEND, batch)] : startEach(tracing, batch);
      const spanOf = (index: number): Span => (started.length === 1 ? started[0]! : started[index]!);
      const sent = withMetadata(batch, (index) => withContext(batch.metadata(index), spanOf(index).spanContext()));
      let outcomes: readonly Outcome[] | undefined;
      try {
        outcomes = await within(tracing, started, () => inner.send(sent, signal));
      } catch (error) {
        for (const span of started) endFailed(tracing, span, describeError(error));
        throw error;
      }
      end(tracing, started, outcomes);
      return outcomes;
    },
    ...(inner.flush ? { flush: () => inner.flush!() } : {}),
    close: () => inner.close(),
    ...(inner.status ? { status: () => inner.status!() } : {}),
  };
}

function startEach(tracing: Tracing, batch: MessageBatch): Span[] {
  return Array.from({ length: batch.length }, (_, index) => startForMessage(tracing, SEND, batch, index));
}

/** One span is the active one while the sink works, so that spans of its client are inside of it. */
function within<T>({ api }: Tracing, spans: readonly Span[], work: () => Promise<T>): Promise<T> {
  if (spans.length !== 1) return work();
  return api.context.with(api.trace.setSpan(api.context.active(), spans[0]!), work);
}

function end(tracing: Tracing, spans: readonly Span[], outcomes: readonly Outcome[] | undefined): void {
  if (spans.length === 1) endOfAll(tracing, spans[0]!, outcomes);
  else {
    for (const [index, span] of spans.entries()) {
      const outcome = outcomes?.[index];
      if (outcome?.type === "failed") endFailed(tracing, span, describeError(outcome.error));
      else span.end();
    }
  }
}

function endOfAll(tracing: Tracing, span: Span, outcomes: readonly Outcome[] | undefined): void {
  const failures = outcomes?.filter((outcome) => outcome.type === "failed") ?? [];
  const [first] = failures;
  const count = failures.length > 1 ? `${failures.length} messages failed: ` : "";
  if (first) endFailed(tracing, span, count + describeError(first.error));
  else span.end();
}
