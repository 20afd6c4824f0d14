import { type ChangeChunk, type ChangeLog, DELETE, INSERT, RowEnds, rareOf, TRUNCATE, UPDATE } from "@mqb/sql";
import { countEscapes, writeNull, writeValue } from "./column.ts";
import { StreamFault } from "./fault.ts";
import type { Relation } from "./relation.ts";

/** How a tuple says what a value is. */
export const NULL_VALUE = 110;
export const TEXT = 116;
const UNCHANGED = 117;
const [OPEN, CLOSE] = [123, 125];
/** Of a message up to which the room is taken for the worst case, without counting. */
const SMALL = 16 * 1024;

/** Writes changes into the log as JSON lines: the server's texts straight into their place. */
export class RowWriter {
  private readonly log: ChangeLog;
  private readonly ends: RowEnds;
  private readonly splitsKeyChange: boolean;
  /** Where the values of a tuple lie: kind, from, to of each column. */
  private tuple: number[] = [];
  private old: number[] = [];
  private unchanged: string[] = [];

  constructor(log: ChangeLog, splitsKeyChange: boolean) {
    this.log = log;
    this.ends = new RowEnds(log);
    this.splitsKeyChange = splitsKeyChange;
  }

  /** Messages I; `at` is behind the kind of the tuple. Gives the number of changes that were written. */
  insert(relation: Relation, bytes: Buffer, at: number, end: number, ordinal: number): number {
    this.readTuple(this.tuple, relation, bytes, at, end);
    this.write(relation, INSERT, bytes, this.tuple, undefined, at, end, ordinal);
    return 1;
  }

  /** Messages D. The old tuple has all columns, or only those of the key. */
  remove(relation: Relation, bytes: Buffer, at: number, end: number, ordinal: number): number {
    this.readTuple(this.tuple, relation, bytes, at, end);
    this.write(relation, DELETE, bytes, this.tuple, undefined, at, end, ordinal);
    return 1;
  }

  /** Messages U; `at` is at the kind of the first tuple. */
  update(relation: Relation, bytes: Buffer, at: number, end: number, ordinal: number): number {
    const kind = bytes[at]!;
    const isKey = kind === 75; // K
    let next = at + 1;
    const hasOld = isKey || kind === 79; // O
    if (hasOld) next = this.readTuple(this.old, relation, bytes, next, end) + 1;
    if (bytes[next - 1] !== 78 || next > end) throw new StreamFault("an update without its new row");
    this.readTuple(this.tuple, relation, bytes, next, end);
    const old = hasOld ? this.old : undefined;
    if (isKey && this.splitsKeyChange) {
      this.write(relation, DELETE, bytes, this.old, undefined, at, end, ordinal);
      this.write(relation, INSERT, bytes, this.tuple, old, at, end, ordinal + 1);
      return 2;
    }
    const chunk = this.write(relation, UPDATE, bytes, this.tuple, old, at, end, ordinal);
    if (isKey) rareOf(chunk).oldKey = this.keyText(relation, bytes, this.old);
    return 1;
  }

  /** A row that was read from its table; `tuple` says where its values lie in `bytes`: kind, from, to of each. */
  row(relation: Relation, bytes: Buffer, tuple: readonly number[], end: number, ordinal: number): void {
    this.write(relation, INSERT, bytes, tuple, undefined, 0, end, ordinal);
  }

  truncate(relation: Relation, ordinal: number): void {
    const chunk = this.log.room(16);
    const from = chunk.front;
    chunk.bytes[from] = OPEN;
    chunk.bytes[from + 1] = CLOSE;
    this.ends.finish(chunk, relation, TRUNCATE, from + 2, ordinal, 0);
  }

  private write(
    relation: Relation,
    operation: number,
    bytes: Buffer,
    tuple: readonly number[],
    old: readonly number[] | undefined,
    begin: number,
    end: number,
    ordinal: number,
  ): ChangeChunk {
    const size = end - begin;
    const worst = size < SMALL ? 6 * size : 3 * size + 5 * countEscapes(bytes, begin, end);
    const chunk = this.log.room(2 * (worst + relation.overhead));
    const out = chunk.bytes;
    const { columns } = relation;
    const { keyRanges } = this.ends;
    let at = chunk.front;
    let isFirst = true;
    let keys = 0;
    this.unchanged.length = 0;
    out[at++] = OPEN;
    for (let i = 0, k = 0; i < columns.length; i++, k += 3) {
      const column = columns[i]!;
      let from = tuple[k + 1]!;
      let to = tuple[k + 2]!;
      let kind = tuple[k]!;
      if (kind === UNCHANGED && old && old[k] === TEXT) {
        kind = TEXT;
        from = old[k + 1]!;
        to = old[k + 2]!;
      }
      if (kind === UNCHANGED) {
        this.unchanged.push(column.name);
        // It stands in no payload, and as null in the key.
        if (column.isKey) keyRanges[keys++] = keyRanges[keys++] = -1;
        continue;
      }
      const { label } = column;
      // The first one without its comma.
      for (let j = isFirst ? 1 : 0; j < label.length; j++) out[at++] = label[j]!;
      isFirst = false;
      const start = at;
      at = kind === NULL_VALUE ? writeNull(out, at) : writeValue(column, bytes, from, to, out, at);
      if (column.isKey) {
        keyRanges[keys++] = start;
        keyRanges[keys++] = at;
      }
    }
    out[at++] = CLOSE;
    this.ends.finish(chunk, relation, operation, at, ordinal, keys);
    if (this.unchanged.length > 0) rareOf(chunk).unchanged = this.unchanged.join(",");
    return chunk;
  }

  private keyText({ columns }: Relation, bytes: Buffer, tuple: readonly number[]): string {
    const texts: string[] = [];
    for (const [i, column] of columns.entries()) {
      if (!column.isKey) continue;
      const [kind, from, to] = [tuple[3 * i], tuple[3 * i + 1]!, tuple[3 * i + 2]!];
      if (kind !== TEXT) texts.push("null");
      else {
        const out = Buffer.allocUnsafe(6 * (to - from) + 8);
        texts.push(out.toString("utf8", 0, writeValue(column, bytes, from, to, out, 0)));
      }
    }
    return `[${texts.join(",")}]`;
  }

  /** Finds the values of a tuple. Gives where it ends. */
  private readTuple(into: number[], { columns }: Relation, bytes: Buffer, at: number, end: number): number {
    if (at + 2 > end) throw new StreamFault("a row that is too short");
    const count = (bytes[at]! << 8) | bytes[at + 1]!;
    if (count !== columns.length) throw new StreamFault("a row with other columns than its table");
    at += 2;
    for (let i = 0, k = 0; i < count; i++, k += 3) {
      const kind = bytes[at]!;
      if (at >= end) throw new StreamFault("a row that is too short");
      at += 1;
      into[k] = kind;
      into[k + 1] = into[k + 2] = at;
      if (kind === TEXT) {
        if (at + 4 > end) throw new StreamFault("a row that is too short");
        const size = bytes.readUInt32BE(at);
        at += 4;
        into[k + 1] = at;
        at += size;
        into[k + 2] = at;
        if (at > end) throw new StreamFault("a row that is too short");
      } else if (kind !== NULL_VALUE && kind !== UNCHANGED) {
        throw new StreamFault(`a value of the unknown kind ${kind}`);
      }
    }
    // Setting it costs more than looking, and tables follow one another seldom.
    if (into.length !== 3 * count) into.length = 3 * count;
    return at;
  }
}
