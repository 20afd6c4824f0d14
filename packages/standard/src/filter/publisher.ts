import { ACCEPTED, FILTERED, type MessageBatch, type Outcome, type Publisher, scatter } from "@mqb/core/plugin";
import { wrapPublisher } from "../wrap.ts";
import type { Sieve } from "./sieve.ts";

/** What is left of a batch, or why that cannot be said. */
interface Sifted {
  /** Undefined = everything. */
  readonly kept?: Uint32Array | undefined;
  readonly failure?: { readonly error: unknown };
}

/** Sends only the messages that the sieve keeps; the others are settled as filtered. `draining`: the close is the end of all. */
export function filterPublisher(inner: Publisher, sieve: Sieve, draining: boolean): Publisher {
  /** Batches that wait for their turn. */
  const ahead = new WeakMap<MessageBatch, Sifted>();
  return wrapPublisher(inner, {
    willSend(batch) {
      const sifted = sift(sieve, batch);
      ahead.set(batch, sifted);
      if (!sifted.kept && !sifted.failure) inner.willSend?.(batch);
    },
    async send(batch, signal) {
      const { kept, failure } = ahead.get(batch) ?? sift(sieve, batch);
      // Sent once more, it is sifted once more.
      ahead.delete(batch);
      if (failure) throw failure.error;
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

function sift(sieve: Sieve, batch: MessageBatch): Sifted {
  try {
    return { kept: sieve.keep(batch) };
  } catch (error) {
    return { failure: { error } };
  }
}
