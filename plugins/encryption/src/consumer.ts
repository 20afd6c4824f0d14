import {
  ACK,
  type Consumer,
  type Delivery,
  type Disposition,
  type MiddlewareContext,
  NACK,
  scatter,
} from "@mqb/core/plugin";
import type { Opener } from "./opener.ts";

export type DecryptionContext = Pick<MiddlewareContext<unknown>, "accounting">;

/**
 * Around a consumer: decrypts what was received. What cannot be decrypted is dropped for good and acked at the source, or
 * ends the route unacked; what came before it is delivered first.
 */
export function decryptReceived(
  inner: Consumer,
  opener: Opener,
  onError: "drop" | "fail",
  { accounting }: DecryptionContext,
): Consumer {
  let failing: Error | undefined;
  return {
    close: () => inner.close(),
    ...(inner.status ? { status: () => inner.status!() } : {}),
    async receive(max, signal) {
      if (failing) throw failing;
      const delivery = await inner.receive(max, signal);
      const { length } = delivery.batch;
      if (length === 0) return delivery;
      const { batch, kept, failure } = opener.open(delivery.batch);
      if (!kept) return { ...released(delivery), batch, commit: (dispositions) => delivery.commit(dispositions) };
      if (onError === "fail") {
        const before = leading(kept);
        if (before.length === 0) throw failure!;
        failing = failure!;
        return {
          batch: batch.select(before),
          commit: (own) => delivery.commit(scatter<Disposition>(length, before, own, ACK, NACK)),
        };
      }
      accounting.drop(length - batch.length, delivery.batch.id(leading(kept).length), failure);
      return {
        ...released(delivery),
        batch,
        // Not "the source is empty".
        ...(batch.length === 0 ? { emptied: true } : {}),
        commit: (own) => delivery.commit(own && scatter<Disposition>(length, kept, own, ACK, ACK)),
      };
    },
  };
}

/** Ids and metadata are read out of the batch that was received until nobody looks at this one any more. */
function released(delivery: Delivery): Pick<Delivery, "release"> {
  return delivery.release ? { release: () => delivery.release!() } : {};
}

/** The positions before the first one that is missing. */
function leading(kept: Uint32Array): Uint32Array {
  const gap = kept.findIndex((position, index) => position !== index);
  return gap < 0 ? kept : kept.subarray(0, gap);
}
