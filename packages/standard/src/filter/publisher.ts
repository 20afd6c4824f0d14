import { ACCEPTED, FILTERED, type Outcome, type Publisher, scatter } from "@mqb/core/plugin";
import { wrapPublisher } from "../wrap.ts";
import type { Sieve } from "./sieve.ts";

/** Sends only the messages that the sieve keeps; the others are settled as filtered. `draining`: the close is the end of all. */
export function filterPublisher(inner: Publisher, sieve: Sieve, draining: boolean): Publisher {
  return wrapPublisher(inner, {
    async send(batch, signal) {
      const kept = sieve.keep(batch);
      if (!kept) return inner.send(batch, signal);
      const outcomes = kept.length > 0 ? await inner.send(batch.select(kept), signal) : undefined;
      return scatter<Outcome>(batch.length, kept, outcomes, ACCEPTED, FILTERED);
    },
    close() {
      if (draining) sieve.end();
      return inner.close();
    },
  });
}
