import type { MessageBatch, Slab } from "@mqb/core/plugin";
import type { BoundMetadata } from "../bound-metadata.ts";
import type { Bulk } from "./bulk.ts";

/** What of a batch is loaded, and how. */
export interface Loading {
  /** Longest message that is loaded. */
  readonly max: number;
  /** Bytes that come out for a message beside those that went in. */
  readonly grows: number;
  /** Where in an envelope the nonce begins. */
  readonly nonceAt: number;
  readonly bound: BoundMetadata | undefined;
  /** Longest data that a message may bind. */
  readonly boundMax: number;
  /** Whether the message may be loaded with the one before it. */
  takes(index: number): boolean;
}

/** Loads as many messages of a batch from `first` on as fit and belong together; returns the position behind them. */
export function loadMessages(bulk: Bulk, batch: MessageBatch, first: number, loading: Loading): number {
  bulk.clear();
  const { slab } = batch;
  return slab && !loading.bound ? loadRun(bulk, slab, first, loading) : loadEach(bulk, batch, first, loading);
}

/** Payloads that lie one after another are loaded with one copy, with what stands between them. */
function loadRun(bulk: Bulk, slab: Slab, first: number, { max, grows, nonceAt, takes }: Loading): number {
  const { starts, ends, bytes } = slab;
  const origin = starts[first]!;
  const shift = bulk.end - origin;
  let reach = origin;
  let index = first;
  for (; index < starts.length; index++) {
    const start = starts[index]!;
    const end = ends[index]!;
    const size = end - start;
    if (start < reach || size > max || !bulk.fits(end - origin, size + grows) || !takes(index)) break;
    bulk.add(start + shift, end + shift, start + shift + nonceAt, size + grows);
    reach = end;
  }
  bulk.load(bytes.subarray(origin, reach));
  return index;
}

function loadEach(bulk: Bulk, batch: MessageBatch, first: number, loading: Loading): number {
  const { max, grows, nonceAt, bound, boundMax, takes } = loading;
  let index = first;
  for (; index < batch.length; index++) {
    const bytes = batch.payload(index);
    const size = bytes.length;
    const metadata = bound && batch.metadata(index);
    const more = metadata ? bound.size(metadata) : 0;
    if (size > max || more > boundMax || !bulk.fits(size + more, size + grows) || !takes(index)) break;
    const start = bulk.load(bytes);
    const number = bulk.add(start, start + size, start + nonceAt, size + grows);
    if (!metadata) continue;
    const from = bulk.end;
    bulk.extend(bound.write(metadata, bulk.memory, from));
    bulk.bind(number, from, bulk.end);
  }
  return index;
}
