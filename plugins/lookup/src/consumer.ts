import {
  ACK,
  batchOf,
  type Clock,
  type Consumer,
  type Delivery,
  type Disposition,
  kindOf,
  type MiddlewareContext,
  scatter,
} from "@mqb/core/plugin";
import { closeAll, statusOf } from "./ends.ts";
import type { Enriched } from "./enriched.ts";
import type { Enricher, Lookup } from "./enricher.ts";
import { errors } from "./errors.ts";
import { Stops } from "./stops.ts";

export type LookupContext = Pick<MiddlewareContext<unknown>, "accounting" | "clock">;

/** What was received, and what its lookups made of it. */
interface LookedUp {
  readonly delivery: Delivery;
  readonly enriched: Enriched;
}

/** How long lookups are waited for behind the signal to stop; shorter than a route waits. */
const STOP_MS = 500;
/** Something was received, but it is not ready. */
const NOT_YET: Delivery = { batch: batchOf([]), emptied: "held", commit: async () => {} };

/**
 * Around a consumer: what fails for good is acked and dropped. When a lookup failed for now, the route connects anew,
 * and the whole batch, which is not committed, is its source's again.
 */
export function lookupReceived(
  inner: Consumer,
  enricher: Enricher,
  lookups: readonly Lookup[],
  context: LookupContext,
): Consumer {
  const stops = new Stops();
  /** Received, and not given on yet. */
  let pending: Promise<LookedUp> | undefined;
  return {
    async receive(max, signal) {
      if (!pending) {
        const delivery = await inner.receive(max, signal);
        if (delivery.batch.length === 0) return delivery;
        pending = lookUp(delivery, enricher, stops);
      }
      const ready = await unlessStopped(pending, signal, context.clock);
      // Silence must not be taken for the end of a drain: the next call gives it.
      if (!ready) return NOT_YET;
      pending = undefined;
      return settled(ready, context);
    },
    close() {
      stops.end();
      return closeAll(inner, lookups);
    },
    status: () => statusOf(inner.status?.(), lookups),
  };
}

async function lookUp(delivery: Delivery, enricher: Enricher, stops: Stops): Promise<LookedUp> {
  const asking = stops.begin();
  const enriched = await enricher.run(delivery.batch, asking.signal);
  asking.end();
  return { delivery, enriched };
}

function settled({ delivery, enriched }: LookedUp, { accounting }: LookupContext): Delivery {
  const { batch, kept, failed, dropped } = enriched;
  const { length } = delivery.batch;
  const forNow = failed.filter(({ error }) => kindOf(error, "retryable") !== "permanent");
  if (forNow.length > 0) {
    const config = forNow.find(({ error }) => kindOf(error, "retryable") === "config");
    if (config) throw errors.MISCONFIGURED({}, { cause: config.error });
    throw errors.UNAVAILABLE({ failed: forNow.length, length }, { cause: forNow[0]!.error });
  }
  if (!kept) return { batch, commit: (dispositions) => delivery.commit(dispositions) };
  for (const { index, error } of failed) accounting.drop(1, delivery.batch.id(index), error);
  accounting.settle("filtered", dropped);
  return {
    batch,
    // Not "the source is empty".
    ...(batch.length === 0 ? { emptied: true } : {}),
    commit: (own) => delivery.commit(own && scatter<Disposition>(length, kept, own, ACK, ACK)),
  };
}

/** Undefined when the signal has aborted and the work is not done a moment later. */
function unlessStopped<T>(work: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let cancel = (): void => {};
    const settle = (value: T | undefined): void => {
      cancel();
      signal.removeEventListener("abort", stop);
      resolve(value);
    };
    const stop = (): void => {
      cancel = clock.timer(STOP_MS, () => settle(undefined));
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    work.then(settle, reject);
  });
}
