import type { Fnv128 } from "./change-id.ts";

export const OPERATIONS = ["insert", "update", "delete", "truncate"] as const;
export const INSERT = 0;
export const UPDATE = 1;
export const DELETE = 2;
export const TRUNCATE = 3;

/** What messages say of the table of a change. */
export interface ChangedTable {
  readonly schema: string;
  readonly table: string;
  /** The hash of ids as far as all of its rows have it in common. */
  readonly idPrefix: Fnv128;
}

/** What few changes have. */
export interface Rare {
  /** The key before it was changed. */
  oldKey?: string;
  /** Names of columns whose values the server has left out, since they have not changed. */
  unchanged?: string;
}

/** A row has about so many bytes; of large ones there are few. */
const BYTES_OF_ROW = 128;
const MOST_ROWS = 8192;

/**
 * Changes one behind the other: their payloads as lines from the front of one buffer, their keys from its back. Only ever
 * added to, so that batches of what is ready are views of it while more comes.
 */
export class ChangeChunk {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly keyStarts: Uint32Array;
  readonly keyEnds: Uint32Array;
  readonly operations: Uint8Array;
  readonly relationOf: Uint16Array;
  readonly ordinals: Float64Array;
  /** The place of the commit; known when a row is ready. */
  readonly lsns: BigUint64Array;
  readonly relations: ChangedTable[] = [];
  rare: Map<number, Rare> | undefined;
  /** What a log calls a transaction beside its place, by that. */
  names: Map<bigint, string> | undefined;
  /** The number of its first row among all. */
  readonly base: number;
  rows = 0;
  /** Rows before it may be handed out. */
  ready = 0;
  /** Behind the last payload, and before the keys. */
  front = 0;
  back: number;
  /** Deliveries of its rows that have not said that nobody looks at them any more. */
  lent = 0;

  /** `used`: one of this size that nobody looks at any more; its memory is this one's from here on. */
  constructor(base: number, size: number, used?: ChangeChunk) {
    const rows = Math.min(MOST_ROWS, Math.ceil(size / BYTES_OF_ROW));
    this.base = base;
    this.back = size;
    this.bytes = used?.bytes ?? Buffer.allocUnsafeSlow(size);
    this.starts = used?.starts ?? new Uint32Array(rows);
    this.ends = used?.ends ?? new Uint32Array(rows);
    this.keyStarts = used?.keyStarts ?? new Uint32Array(rows);
    this.keyEnds = used?.keyEnds ?? new Uint32Array(rows);
    this.operations = used?.operations ?? new Uint8Array(rows);
    this.relationOf = used?.relationOf ?? new Uint16Array(rows);
    this.ordinals = used?.ordinals ?? new Float64Array(rows);
    this.lsns = used?.lsns ?? new BigUint64Array(rows);
  }

  hasRoom(bytes: number): boolean {
    return this.rows < this.starts.length && this.back - this.front >= bytes && this.relations.length < 0xffff;
  }

  /** Takes back the rows from this one on, which nobody has seen. Gives how many bytes their payloads had. */
  discard(from: number): number {
    const size = this.front;
    this.front = from > 0 ? this.ends[from - 1]! + 1 : 0;
    this.back = from > 0 ? this.keyStarts[from - 1]! : this.bytes.length;
    for (let row = from; row < this.rows; row++) this.rare?.delete(row);
    this.rows = from;
    return size - this.front;
  }

  numberOf(relation: ChangedTable): number {
    const { relations } = this;
    const last = relations.length - 1;
    if (last >= 0 && relations[last] === relation) return last;
    const known = relations.lastIndexOf(relation);
    return known >= 0 ? known : relations.push(relation) - 1;
  }
}
