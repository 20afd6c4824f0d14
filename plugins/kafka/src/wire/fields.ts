import {
  idFromBigInt,
  idFromBytes,
  type MessageId,
  type Metadata,
  NO_METADATA,
  type SlabFields,
} from "@mqb/core/plugin";
import type { RecordChunk } from "./chunk.ts";
import { keptHeaders, MOST_HEADERS } from "./exact-headers.ts";
import { EXACT_HEADERS, FOREIGN_ID_HEADER, ID_HEADER, isReserved, SOURCE, TOMBSTONE } from "./names.ts";
import { Cursor } from "./record-reader.ts";

const ID_NAMES = [Buffer.from(ID_HEADER), Buffer.from(FOREIGN_ID_HEADER)];
const ID_BYTES = 16;

export interface ChunkPlace {
  readonly topic: string;
  readonly partition: number;
  /** Whether messages carry their positions. */
  readonly stamps: boolean;
}

/** Ids and metadata of records, found in their bytes when somebody asks. `base` is the record at position 0. */
export class RecordFields implements SlabFields {
  private readonly chunk: RecordChunk;
  private readonly base: number;
  private readonly place: ChunkPlace;

  constructor(chunk: RecordChunk, base: number, place: ChunkPlace) {
    this.chunk = chunk;
    this.base = base;
    this.place = place;
  }

  /** The first header that holds an id, else a key of 16 bytes, else the place in the log. */
  id(index: number): MessageId {
    const { bytes, keys, keyEnds, offsets, headers } = this.chunk;
    const at = this.base + index;
    const cursor = new Cursor(bytes, headers[at]!);
    for (let left = headerCount(cursor); left > 0; left--) {
      const nameSize = cursor.varint();
      const name = cursor.at;
      cursor.at += nameSize;
      const size = cursor.varint();
      const value = cursor.at;
      if (size > 0) cursor.at += size;
      if (size <= 0 || !ID_NAMES.some((known) => equals(bytes, name, nameSize, known))) continue;
      const id = parseId(bytes.toString("latin1", value, value + size));
      if (id !== undefined) return id;
    }
    const key = keys[at]!;
    if (key >= 0 && keyEnds[at]! - key === ID_BYTES) return idFromBytes(bytes.subarray(key, key + ID_BYTES));
    return idFromBigInt((BigInt(this.place.partition) << 64n) | BigInt(offsets[at]!));
  }

  metadata(index: number): Metadata {
    const { bytes, offsets, headers, nulls } = this.chunk;
    const at = this.base + index;
    const { topic, partition, stamps } = this.place;
    const cursor = new Cursor(bytes, headers[at]!);
    const count = headerCount(cursor);
    const isNull = nulls?.[at] === 1;
    if (count === 0 && !stamps && !isNull) return NO_METADATA;
    const start = cursor.at;
    const metadata = new Map<string, string>();
    let isKept = true;
    for (let left = count; left > 0; left--) {
      const name = text(cursor) ?? "";
      const value = text(cursor);
      // Nobody else says what headers a record of ours has had.
      if (isReserved(name) || name === EXACT_HEADERS) continue;
      if (name !== ID_HEADER) isKept &&= value !== undefined && !value.includes("\ufffd") && !metadata.has(name);
      metadata.set(name, value ?? "");
    }
    if (!isKept && count <= MOST_HEADERS) keepExact(metadata, new Cursor(bytes, start), count);
    if (isNull) metadata.set(TOMBSTONE, "true");
    if (stamps) {
      metadata.set(SOURCE.topic, topic);
      metadata.set(SOURCE.partition, `${partition}`);
      metadata.set(SOURCE.offset, `${offsets[at]}`);
    }
    return metadata;
  }
}

/** A header has two bytes at least: more than fit are a lie, which must not keep anybody busy. */
function headerCount(cursor: Cursor): number {
  const count = cursor.varint();
  return Math.min(count, (cursor.bytes.length - cursor.at) >> 1);
}

/** Undefined = null. */
function text(cursor: Cursor): string | undefined {
  const size = cursor.varint();
  if (size <= 0) return size < 0 ? undefined : "";
  const start = cursor.at;
  cursor.at += size;
  return cursor.bytes.toString("utf8", start, cursor.at);
}

/** `cursor` is at the first of `count` headers. */
function keepExact(metadata: Map<string, string>, cursor: Cursor, count: number): void {
  const headers: [name: string, value: Buffer | null][] = [];
  for (let left = count; left > 0; left--) {
    const name = text(cursor) ?? "";
    const size = cursor.varint();
    const start = cursor.at;
    if (size > 0) cursor.at += size;
    headers.push([name, size < 0 ? null : cursor.bytes.subarray(start, cursor.at)]);
  }
  const kept = keptHeaders(headers);
  if (kept !== undefined) metadata.set(EXACT_HEADERS, kept);
}

function equals(bytes: Buffer, at: number, size: number, name: Buffer): boolean {
  return size === name.length && bytes.compare(name, 0, size, at, at + size) === 0;
}

const HYPHENATED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HEX = /^[0-9a-f]{32}$/i;
const MAX = (1n << 128n) - 1n;

/** UUID, 32 hex digits, `0x` hex or decimal digits; undefined for anything else. */
export function parseId(written: string): MessageId | undefined {
  if (HEX.test(written)) return hyphenated(written.toLowerCase());
  const lower = written.toLowerCase();
  if (HYPHENATED.test(lower)) return lower;
  if (/^0x[0-9a-f]{1,32}$/.test(lower) || /^[0-9]{1,39}$/.test(lower)) {
    const value = BigInt(lower);
    return value <= MAX ? idFromBigInt(value) : undefined;
  }
  return undefined;
}

function hyphenated(hex: string): MessageId {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
