import { isUtf8 } from "node:buffer";
import type { MessageBatch } from "@mqb/core/plugin";
import type { Bound, PreparedInsert } from "../contract.ts";

/** Rows that one prepared statement writes. */
export interface RowGroup {
  readonly insert: PreparedInsert;
  /** Where each row comes from in the batch. */
  readonly positions: readonly number[];
  readonly rows: readonly (readonly Bound[])[];
}

/** Records that one prepared statement takes as JSON; rows are made of them only when it does not. */
export interface JsonGroup {
  readonly insert: PreparedInsert;
  readonly positions: readonly number[];
  readonly json: Buffer;
  readonly asRows: () => Rows;
}

/** What a batch becomes: groups to be written one after another, and the messages that cannot be written. */
export interface Rows {
  readonly groups: readonly (RowGroup | JsonGroup)[];
  readonly failed: ReadonlyMap<number, unknown>;
}

/** Makes rows of messages. */
export interface RowMaker {
  make(batch: MessageBatch): Rows | Promise<Rows>;
}

/** The bytes that hold a payload, and where in them it lies. */
export function payloadAt(
  batch: MessageBatch,
  index: number,
): { readonly bytes: Buffer; readonly start: number; readonly end: number } {
  const { slab } = batch;
  if (slab) return { bytes: slab.bytes, start: slab.starts[index]!, end: slab.ends[index]! };
  const payload = batch.payload(index);
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  return { bytes, start: 0, end: bytes.length };
}

/**
 * Whether all payloads that are JSON are UTF-8, as far as one look tells: JSON begins and ends with a character of one byte.
 * Otherwise each has to be looked at.
 */
export function isTextThroughout({ slab }: MessageBatch): boolean {
  if (!slab || slab.starts.length === 0) return false;
  let [from, to] = [slab.starts[0]!, 0];
  for (let i = 0; i < slab.starts.length; i++) {
    from = Math.min(from, slab.starts[i]!);
    to = Math.max(to, slab.ends[i]!);
  }
  return isUtf8(slab.bytes.subarray(from, to));
}
