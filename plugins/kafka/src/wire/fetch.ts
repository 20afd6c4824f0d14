import { type AbortedTransaction, readOffset } from "./record-reader.ts";

export const FETCH = 1;
/** The newest version that this package writes; older brokers get the other one. */
export const FETCH_VERSIONS = [11, 4] as const;

export interface FetchLimits {
  readonly maxWaitMs: number;
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly maxPartitionBytes: number;
  readonly readsCommitted: boolean;
}

export interface FetchedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly error: number;
  readonly highWatermark: number;
  readonly aborted: readonly AbortedTransaction[];
  /** Where the record batches lie in the answer. */
  readonly start: number;
  readonly end: number;
}

/** A request for records: for each topic its partitions with the offset from which on they are wanted. */
export function fetchRequest(
  wanted: ReadonlyMap<string, readonly { readonly partition: number; readonly offset: number }[]>,
  limits: FetchLimits,
  version: number,
): Buffer {
  const isNew = version >= 11;
  let size = 64;
  for (const [topic, partitions] of wanted) size += 6 + 3 * topic.length + 40 * partitions.length;
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.writeInt32BE(-1, 0);
  at = bytes.writeInt32BE(limits.maxWaitMs, at);
  at = bytes.writeInt32BE(limits.minBytes, at);
  at = bytes.writeInt32BE(limits.maxBytes, at);
  at = bytes.writeInt8(limits.readsCommitted ? 1 : 0, at);
  if (isNew) {
    at = bytes.writeInt32BE(0, at);
    at = bytes.writeInt32BE(-1, at);
  }
  at = bytes.writeInt32BE(wanted.size, at);
  for (const [topic, partitions] of wanted) {
    const length = bytes.write(topic, at + 2);
    bytes.writeInt16BE(length, at);
    at = bytes.writeInt32BE(partitions.length, at + 2 + length);
    for (const { partition, offset } of partitions) {
      at = bytes.writeInt32BE(partition, at);
      if (isNew) at = bytes.writeInt32BE(-1, at);
      at = bytes.writeBigInt64BE(BigInt(offset), at);
      if (isNew) at = bytes.writeBigInt64BE(-1n, at);
      at = bytes.writeInt32BE(limits.maxPartitionBytes, at);
    }
  }
  if (isNew) {
    at = bytes.writeInt32BE(0, at);
    at = bytes.writeInt16BE(0, at);
  }
  return bytes.subarray(0, at);
}

/** What came, or the error code of the request as a whole. */
export function parseFetched(
  bytes: Buffer,
  version: number,
): { readonly error: number; readonly partitions: FetchedPartition[] } {
  const isNew = version >= 11;
  const partitions: FetchedPartition[] = [];
  const error = isNew ? bytes.readInt16BE(4) : 0;
  let at = isNew ? 10 : 4;
  let topics = bytes.readInt32BE(at);
  at += 4;
  for (; topics > 0; topics--) {
    const length = bytes.readInt16BE(at);
    const topic = bytes.toString("utf8", at + 2, at + 2 + length);
    at += 2 + length;
    let count = bytes.readInt32BE(at);
    at += 4;
    for (; count > 0; count--) {
      const partition = bytes.readInt32BE(at);
      const code = bytes.readInt16BE(at + 4);
      const highWatermark = readOffset(bytes, at + 6);
      at += isNew ? 30 : 22;
      const aborted: AbortedTransaction[] = [];
      let transactions = bytes.readInt32BE(at);
      at += 4;
      for (; transactions > 0; transactions--) {
        aborted.push({ producerId: bytes.readBigInt64BE(at), firstOffset: readOffset(bytes, at + 8) });
        at += 16;
      }
      if (isNew) at += 4;
      const size = Math.max(0, bytes.readInt32BE(at));
      at += 4;
      partitions.push({ topic, partition, error: code, highWatermark, aborted, start: at, end: at + size });
      at += size;
    }
  }
  return { error, partitions };
}
