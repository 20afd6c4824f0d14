import {
  type ChangeChunk,
  type ChangedTable,
  type ChangeLog,
  DELETE,
  INSERT,
  RowEnds,
  rareOf,
  TRUNCATE,
  UPDATE,
} from "@mqb/sql";
import { countEscapes } from "../../json-text.ts";
import { type Column, fixedBytes, lengthBytes, overheadOf, writeValue } from "./column.ts";
import { StreamFault } from "./fault.ts";

/** A table as its rows lie in the log. */
export interface Table extends ChangedTable {
  readonly columns: readonly Column[];
  readonly hasKey: boolean;
  /** It is where MariaDB keeps how far a SEQUENCE has come. */
  readonly isSequence: boolean;
  /** What a JSON object of it needs beside its values, in bytes. */
  readonly overhead: number;
}

const [OPEN, CLOSE, COMMA] = [123, 125, 44];
/** Of a row up to which the room is taken for the worst case, without counting. */
const SMALL = 16 * 1024;
/** No key is longer. */
const LONGEST_KEY = 3072;

/** Writes changes into the log as JSON lines. */
export class RowWriter {
  private readonly log: ChangeLog;
  private readonly ends: RowEnds;
  private readonly splitsKeyChange: boolean;
  /** Where the values of a row lie: from, to of each column; -1 = NULL. */
  private row: number[] = [];
  private old: number[] = [];

  constructor(log: ChangeLog, splitsKeyChange: boolean) {
    this.log = log;
    this.ends = new RowEnds(log);
    this.splitsKeyChange = splitsKeyChange;
  }

  /** Writes the row at `at`; gives where it ends. */
  insert(table: Table, bytes: Buffer, at: number, end: number, ordinal: number): number {
    const next = readRow(this.row, table, bytes, at, end);
    this.write(table, INSERT, bytes, this.row, at, next, ordinal);
    return next;
  }

  remove(table: Table, bytes: Buffer, at: number, end: number, ordinal: number): number {
    const next = readRow(this.row, table, bytes, at, end);
    this.write(table, DELETE, bytes, this.row, at, next, ordinal);
    return next;
  }

  /** The old row, and behind it the new one. A change of the key may become two changes. */
  update(table: Table, bytes: Buffer, at: number, end: number, ordinal: number): { next: number; changes: number } {
    const middle = readRow(this.old, table, bytes, at, end);
    const next = readRow(this.row, table, bytes, middle, end);
    const movesKey = table.hasKey && this.keyDiffers(table, bytes);
    if (movesKey && this.splitsKeyChange) {
      this.write(table, DELETE, bytes, this.old, at, middle, ordinal);
      this.write(table, INSERT, bytes, this.row, middle, next, ordinal + 1);
      return { next, changes: 2 };
    }
    const chunk = this.write(table, UPDATE, bytes, this.row, middle, next, ordinal);
    if (movesKey) rareOf(chunk).oldKey = keyText(table, bytes, this.old);
    return { next, changes: 1 };
  }

  truncate(table: ChangedTable, ordinal: number): void {
    const chunk = this.log.room(16);
    const from = chunk.front;
    chunk.bytes[from] = OPEN;
    chunk.bytes[from + 1] = CLOSE;
    this.ends.finish(chunk, table, TRUNCATE, from + 2, ordinal, 0);
  }

  private write(
    table: Table,
    operation: number,
    bytes: Buffer,
    row: readonly number[],
    begin: number,
    end: number,
    ordinal: number,
  ): ChangeChunk {
    const size = end - begin;
    const worst = size < SMALL ? 6 * size : 3 * size + 5 * countEscapes(bytes, begin, end);
    const key = Math.min(worst, 6 * LONGEST_KEY) + table.overhead;
    const chunk = this.log.room(worst + table.overhead + key);
    const out = chunk.bytes;
    const { columns } = table;
    const { keyRanges } = this.ends;
    let at = chunk.front;
    let keys = 0;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]!;
      out[at++] = i === 0 ? OPEN : COMMA;
      const { label } = column;
      for (let j = 0; j < label.length; j++) out[at++] = label[j]!;
      const start = at;
      const from = row[2 * i]!;
      at = from < 0 ? at + out.write("null", at, "latin1") : writeValue(column, bytes, from, row[2 * i + 1]!, out, at);
      if (column.isKey) {
        keyRanges[keys++] = start;
        keyRanges[keys++] = at;
      }
    }
    out[at++] = CLOSE;
    this.ends.finish(chunk, table, operation, at, ordinal, keys);
    return chunk;
  }

  private keyDiffers({ columns }: Table, bytes: Buffer): boolean {
    const { row, old } = this;
    return columns.some(({ isKey }, i) => {
      if (!isKey) return false;
      const [a, b] = [row[2 * i]!, old[2 * i]!];
      return bytes.compare(bytes, a, row[2 * i + 1], b, old[2 * i + 1]) !== 0;
    });
  }
}

/** Finds the values of a row. Gives where it ends. */
function readRow(into: number[], { columns }: Table, bytes: Buffer, at: number, end: number): number {
  let next = at + ((columns.length + 7) >> 3);
  for (let i = 0; i < columns.length; i++) {
    if ((bytes[at + (i >> 3)]! & (1 << (i & 7))) !== 0) {
      into[2 * i] = into[2 * i + 1] = -1;
      continue;
    }
    const column = columns[i]!;
    const lead = lengthBytes(column);
    if (next + lead > end) throw new StreamFault("a row that is too short");
    const size = lead === 0 ? fixedBytes(column) : bytes.readUIntLE(next, lead);
    into[2 * i] = next + lead;
    into[2 * i + 1] = next += lead + size;
  }
  if (next > end) throw new StreamFault("a row that is too short");
  return next;
}

function keyText({ columns }: Table, bytes: Buffer, row: readonly number[]): string {
  const texts: string[] = [];
  for (const [i, column] of columns.entries()) {
    if (!column.isKey) continue;
    const [from, to] = [row[2 * i]!, row[2 * i + 1]!];
    const out = Buffer.allocUnsafe(6 * (to - from) + overheadOf(column));
    texts.push(out.toString("utf8", 0, writeValue(column, bytes, from, to, out, 0)));
  }
  return `[${texts.join(",")}]`;
}
