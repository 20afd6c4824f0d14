import { type Consumer, type Delivery, type Disposition, describeError } from "@mqb/core/plugin";
import type { Span } from "@opentelemetry/api";
import type { OtelConfig } from "./config.ts";
import { withContext } from "./trace-context.ts";
import { endFailed, RECEIVE, startForBatch, startForMessage, type Tracing } from "./tracing.ts";
import { withMetadata } from "./with-metadata.ts";

/** Spans that last from the receipt of messages to their commit; the messages point at them. */
export function tracedConsumer(inner: Consumer, tracing: Tracing, spans: NonNullable<OtelConfig["spans"]>): Consumer {
  /** Of deliveries that are not committed. */
  const open = new Set<readonly Span[]>();
  return {
    async receive(max, signal) {
      const delivery = await inner.receive(max, signal);
      if (delivery.batch.length === 0) return delivery;
      const started =
        spans === "batch" ? [startForBatch(tracing, RECEIVE, delivery.batch)] : startEach(tracing, delivery);
      open.add(started);
      return followed(delivery, tracing, started, open);
    },
    async close() {
      for (const started of open)
        for (const span of started) endFailed(tracing, span, "closed before it was committed");
      open.clear();
      await inner.close();
    },
    ...(inner.status ? { status: () => inner.status!() } : {}),
  };
}

function startEach(tracing: Tracing, { batch }: Delivery): Span[] {
  return Array.from({ length: batch.length }, (_, index) => startForMessage(tracing, RECEIVE, batch, index));
}

/** `spans`: one for each message, or one for all. */
function followed(delivery: Delivery, tracing: Tracing, spans: readonly Span[], open: Set<readonly Span[]>): Delivery {
  const { batch } = delivery;
  const spanOf = (index: number): Span => (spans.length === 1 ? spans[0]! : spans[index]!);
  return {
    batch: withMetadata(batch, (index) => withContext(batch.metadata(index), spanOf(index).spanContext())),
    async commit(dispositions) {
      let failure: unknown;
      try {
        await delivery.commit(dispositions);
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        // Those that were closed are ended already.
        if (open.delete(spans)) end(tracing, spans, dispositions, failure);
      }
    },
  };
}

function end(
  tracing: Tracing,
  spans: readonly Span[],
  dispositions: readonly Disposition[] | undefined,
  failure: unknown,
): void {
  const nacks = dispositions?.filter(({ type }) => type === "nack").length ?? 0;
  for (const [index, span] of spans.entries()) {
    const nacked = spans.length === 1 ? nacks > 0 : dispositions?.[index]?.type === "nack";
    if (failure !== undefined) endFailed(tracing, span, `the commit failed: ${describeError(failure)}`);
    else if (nacked) endFailed(tracing, span, nackText(dispositions!, spans.length === 1 ? nacks : 1, index));
    else span.end();
  }
}

function nackText(dispositions: readonly Disposition[], count: number, index: number): string {
  const one = dispositions[index];
  const error = one?.type === "nack" ? one.error : undefined;
  const what = count === 1 ? "went back to the source" : `${count} messages went back to the source`;
  return error === undefined ? what : `${what}: ${describeError(error)}`;
}
