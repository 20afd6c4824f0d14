import {
  ACK,
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  type InputCapabilities,
  type MessageBatch,
  type MiddlewareContext,
  scatter,
} from "@mqb/core/plugin";
import { Ahead } from "../batch/ahead.ts";
import { joinDeliveries } from "../batch/join-deliveries.ts";
import { wrapConsumer } from "../wrap.ts";
import { type Sieve, settleFiltered } from "./sieve.ts";

export type FilterContext = Pick<MiddlewareContext<InputCapabilities>, "accounting" | "clock" | "below" | "draining">;

/** A batch that is filled to this share is full enough: the last gaps would be filled message by message. */
const FULL_ENOUGH = 3 / 4;
/** Payload bytes that are read at most to fill one batch again. */
const REFILL_BYTES = 8 * 1024 * 1024;
/** How long a source is waited for to fill a batch again. */
const REFILL_WAIT_MS = 10;

/**
 * Takes the messages out that the sieve does not keep. When that leaves a hole in a full batch, more is read to fill it; a
 * batch that the source did not fill itself, or that it would not take back, is passed on as it is. An emptied batch is
 * passed on too, to be committed.
 */
export function filterConsumer(inner: Consumer, sieve: Sieve, context: FilterContext): Consumer {
  const { accounting, clock, below } = context;
  const ahead = new Ahead(inner, clock, below);

  const sift = (delivery: Delivery): Part => {
    const { batch } = delivery;
    const kept = batch.length > 0 ? sieve.keep(batch) : undefined;
    if (!kept) return { delivery, batch, kept };
    settleFiltered(accounting, batch.length - kept.length);
    return { delivery, batch: batch.select(kept), kept };
  };

  const refill = async (first: Part, max: number, signal: AbortSignal): Promise<readonly Part[]> => {
    const parts = [first];
    let room = max - first.batch.length;
    let bytes = first.delivery.batch.byteLength;
    while (room > max * (1 - FULL_ENOUGH) && bytes < REFILL_BYTES) {
      const asked = room;
      let next: Delivery | undefined;
      let part: Part;
      try {
        next = await ahead.within(REFILL_WAIT_MS, asked, signal);
        if (!next) break;
        part = sift(next);
      } catch (error) {
        // What is there already goes first; the route sees it at the next read.
        ahead.failNext(error);
        break;
      }
      parts.push(part);
      room -= part.batch.length;
      bytes += next.batch.byteLength;
      if (next.batch.length < asked) break;
    }
    return parts;
  };

  return wrapConsumer(inner, {
    async receive(max, signal) {
      const part = sift(await ahead.receive(max, signal));
      if (!part.kept) return part.delivery;
      if (part.batch.length === 0) return emptied(part.delivery);
      // What is read ahead at a stop goes back to the source; one that takes nothing back is not read ahead.
      const refills = below.acknowledges && part.delivery.batch.length === max;
      return joined(refills ? await refill(part, max, signal) : [part]);
    },
    close() {
      ahead.close();
      if (context.draining) sieve.end();
      return inner.close();
    },
  });
}

/** A delivery of the source, with what is left of it. */
interface Part {
  readonly delivery: Delivery;
  readonly batch: MessageBatch;
  /** Undefined = everything. */
  readonly kept: Uint32Array | undefined;
}

const NOTHING = batchOf([]);

function emptied(delivery: Delivery): Delivery {
  return { batch: NOTHING, emptied: true, commit: () => delivery.commit(), release: () => delivery.release?.() };
}

function joined(parts: readonly Part[]): Delivery {
  return joinDeliveries(
    parts.map((part) => ({
      batch: part.batch,
      commit: (own) => commitPart(part, own),
      release: () => part.delivery.release?.(),
    })),
  );
}

function commitPart({ delivery, kept }: Part, own: readonly Disposition[] | undefined): Promise<void> {
  if (!own || own.length === 0) return delivery.commit();
  return delivery.commit(kept ? scatter(delivery.batch.length, kept, own, ACK, ACK) : own);
}
