import { type Clock, kindOf, type MessageBatch, type Outcome, type Publisher } from "@mqb/core/plugin";
import { wrapPublisher } from "../wrap.ts";
import type { SideMetrics } from "./registry.ts";

/** Counts what is sent, once per batch; looks at messages one by one only when the sink says something of each. */
export function measuredPublisher(inner: Publisher, side: SideMetrics, clock: Clock): Publisher {
  return wrapPublisher(inner, {
    async send(batch, signal) {
      const start = clock.monotonic();
      side.inFlight += batch.length;
      let outcomes: readonly Outcome[] | undefined;
      try {
        outcomes = await inner.send(batch, signal);
      } catch (error) {
        side.failed(kindOf(error, "retryable"), batch.length);
        throw error;
      } finally {
        side.inFlight -= batch.length;
      }
      const ms = clock.monotonic() - start;
      if (outcomes) countEach(side, batch, outcomes, ms);
      else side.count(batch.length, batch.length, batch.byteLength, ms);
      return outcomes;
    },
  });
}

function countEach(side: SideMetrics, batch: MessageBatch, outcomes: readonly Outcome[], ms: number): void {
  let handled = 0;
  let bytes = 0;
  for (let i = 0; i < batch.length; i++) {
    const outcome = outcomes[i];
    if (outcome?.type === "failed") side.failed(kindOf(outcome.error, "retryable"), 1);
    else {
      handled++;
      bytes += batch.payload(i).length;
    }
  }
  side.count(handled, batch.length, bytes, ms);
}
