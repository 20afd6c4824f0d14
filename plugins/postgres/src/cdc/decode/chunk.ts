import type { Relation } from "./relation.ts";

export const OPERATIONS = ["insert", "update", "delete", "truncate"] as const;
export const INSERT = 0;
export const UPDATE = 1;
export const DELETE = 2;
export const TRUNCATE = 3;

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
  /** The end of the commit; known when a row is ready. */
  readonly lsns: BigUint64Array;
  readonly relations: Relation[] = [];
  rare: Map<number, Rare> | undefined;
  /** The number of its first row among all. */
  readonly base: number;
  rows = 0;
  /** Rows before it may be handed out. */
  ready = 0;
  /** Behind the last payload, and before the keys. */
  front = 0;
  back: number;

  constructor(base: number, size: number) {
    const rows = Math.min(MOST_ROWS, Math.ceil(size / BYTES_OF_ROW));
    this.base = base;
    this.bytes = Buffer.allocUnsafeSlow(size);
    this.back = size;
    this.starts = new Uint32Array(rows);
    this.ends = new Uint32Array(rows);
    this.keyStarts = new Uint32Array(rows);
    this.keyEnds = new Uint32Array(rows);
    this.operations = new Uint8Array(rows);
    this.relationOf = new Uint16Array(rows);
    this.ordinals = new Float64Array(rows);
    this.lsns = new BigUint64Array(rows);
  }

  hasRoom(bytes: number): boolean {
    return this.rows < this.starts.length && this.back - this.front >= bytes && this.relations.length < 0xffff;
  }

  numberOf(relation: Relation): number {
    const { relations } = this;
    const last = relations.length - 1;
    if (last >= 0 && relations[last] === relation) return last;
    const known = relations.lastIndexOf(relation);
    return known >= 0 ? known : relations.push(relation) - 1;
  }
}
