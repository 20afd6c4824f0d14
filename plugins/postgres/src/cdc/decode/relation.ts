import { type ChangedTable, Fnv128 } from "@mqb/sql";
import type { UserTypes } from "../../user-types.ts";
import { type Column, columnOf } from "./column.ts";
import { StreamFault } from "./fault.ts";

/** A table, as the server describes it before its first change and after each change of its columns. */
export interface Relation extends ChangedTable {
  readonly columns: readonly Column[];
  readonly hasKey: boolean;
  /** Every column tells a row from others: REPLICA IDENTITY FULL. */
  readonly isFull: boolean;
  /** What a JSON object of it needs beside its values, in bytes. */
  readonly overhead: number;
}

/** Reads fields of one message; throws where it ends too early. */
export class Fields {
  at: number;
  private readonly bytes: Buffer;
  private readonly end: number;

  constructor(bytes: Buffer, at: number, end: number) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  byte(): number {
    return this.bytes[this.take(1)]!;
  }

  short(): number {
    return this.bytes.readUInt16BE(this.take(2));
  }

  int(): number {
    return this.bytes.readUInt32BE(this.take(4));
  }

  long(): bigint {
    return this.bytes.readBigUInt64BE(this.take(8));
  }

  text(): string {
    const zero = this.bytes.indexOf(0, this.at);
    if (zero < 0 || zero >= this.end) throw new StreamFault("a text without an end");
    const text = this.bytes.toString("utf8", this.at, zero);
    this.at = zero + 1;
    return text;
  }

  private take(size: number): number {
    const { at } = this;
    if (at + size > this.end) throw new StreamFault("a message that is too short");
    this.at = at + size;
    return at;
  }
}

const FULL = 102; // f

/** What a message R says of a table. */
export interface Described {
  readonly oid: number;
  readonly schema: string;
  readonly table: string;
  readonly isFull: boolean;
  readonly columns: readonly { readonly name: string; readonly type: number; readonly isKey: boolean }[];
}

/** The rest of a message R, behind its kind. */
export function readDescription(fields: Fields): Described {
  const oid = fields.int();
  const schema = fields.text();
  const table = fields.text();
  const isFull = fields.byte() === FULL;
  const columns: Described["columns"][number][] = [];
  for (let left = fields.short(); left > 0; left--) {
    const isKey = (fields.byte() & 1) === 1;
    const name = fields.text();
    const type = fields.int();
    fields.int();
    columns.push({ name, type, isKey });
  }
  // An empty name stands for pg_catalog.
  return { oid, schema: schema === "" ? "pg_catalog" : schema, table, isFull, columns };
}

/** A table as it was described; `types` knows those of its columns. */
export function relationOf({ schema, table, columns, isFull }: Omit<Described, "oid">, types: UserTypes): Relation {
  const all = columns.map(({ name, type, isKey }) => columnOf(name, type, isKey, types.of(type)));
  return {
    schema,
    table,
    columns: all,
    hasKey: all.some(({ isKey }) => isKey),
    isFull,
    // A label and `null` for each.
    overhead: 16 + all.reduce((sum, { label }) => sum + label.length + 8, 0),
    idPrefix: Fnv128.of(Buffer.from(`${schema}.${table}\0`)),
  };
}
