import { ACCEPTED, FILTERED, failed, type Outcome, type Publisher, scatter } from "@mqb/core/plugin";
import { closeAll, flushAll, statusOf } from "./ends.ts";
import type { Enricher, Lookup } from "./enricher.ts";
import { Stops } from "./stops.ts";

/** Around a publisher: a message whose lookup failed fails at its position, the others are sent. */
export function lookupSent(inner: Publisher, enricher: Enricher, lookups: readonly Lookup[]): Publisher {
  const stops = new Stops();
  return {
    async send(batch, signal) {
      const asking = stops.begin(signal);
      const { batch: enriched, kept, failed: failures } = await enricher.run(batch, asking.signal);
      asking.end();
      if (!kept) return inner.send(enriched, signal);
      const sent = kept.length > 0 ? await inner.send(enriched, signal) : undefined;
      const outcomes = scatter<Outcome>(batch.length, kept, sent, ACCEPTED, FILTERED);
      for (const { index, error } of failures) outcomes[index] = failed(error);
      return outcomes;
    },
    flush: () => flushAll(inner, lookups),
    close() {
      stops.end();
      return closeAll(inner, lookups);
    },
    status: () => statusOf(inner.status?.(), lookups),
  };
}
