import { isUtf8 } from "node:buffer";
import type { Logger, MessageBatch } from "@mqb/core/plugin";
import { FieldKind } from "@mqb/json";
import type { Bound, ColumnInfo, Encoder, PreparedInsert } from "../contract.ts";
import { errors } from "../errors.ts";
import { ColumnMap, type Mapping } from "./column-map.ts";
import { Members } from "./members.ts";
import { isTextThroughout, type JsonGroup, payloadAt, type RowGroup, type RowMaker, type Rows } from "./rows.ts";

export interface ColumnSetup {
  readonly columns: readonly ColumnInfo[];
  /** Names as the database has them. */
  readonly key: readonly string[];
  readonly extra: string | undefined;
  /** Prepares the statement for a set of columns. */
  readonly prepare: (columns: readonly ColumnInfo[]) => Promise<PreparedInsert>;
  /** Of the table, for messages. */
  readonly target: string;
  readonly log: Logger;
}

interface Open {
  readonly insert: PreparedInsert;
  readonly positions: number[];
  /** Undefined where the records are handed on as they are. */
  readonly rows: Bound[][] | undefined;
}

/** Statements that are kept prepared; beyond that the fields differ from message to message. */
const PREPARED = 200;

/** Each top-level field of a JSON object into the column of its name. */
export class ColumnRows implements RowMaker {
  private readonly setup: ColumnSetup;
  private readonly map: ColumnMap;
  private readonly members = new Members();
  private readonly prepared = new Map<string, PreparedInsert>();
  /** The same, found sooner. */
  private inserts = new WeakMap<Mapping, PreparedInsert>();
  private warned = false;

  constructor(setup: ColumnSetup) {
    this.setup = setup;
    this.map = new ColumnMap(setup.columns, setup.extra);
  }

  async make(batch: MessageBatch): Promise<Rows> {
    const failed = new Map<number, unknown>();
    const groups: (RowGroup | JsonGroup)[] = [];
    let open = new Map<PreparedInsert, Open>();
    // A row that has the key of an earlier one is written behind it, by a statement of its own.
    let keys = new Set<string>();
    const close = (): void => {
      for (const group of open.values()) groups.push(this.closed(group, batch));
      open = new Map();
      keys = new Set();
    };
    const isText = isTextThroughout(batch);
    for (let i = 0; i < batch.length; i++) {
      try {
        let { bytes, mapping } = this.read(batch, i, isText);
        let insert = this.known(mapping);
        if (!insert) {
          insert = await this.prepare(mapping);
          // Another batch may have been read meanwhile.
          ({ bytes, mapping } = this.read(batch, i, isText));
        }
        const handsOn = insert.executeJson !== undefined && mapping.isExact;
        const row = handsOn ? undefined : this.row(insert, mapping, bytes);
        const key = this.keyOf(mapping, bytes);
        if (key !== undefined) {
          if (keys.has(key)) close();
          keys.add(key);
        }
        let group = open.get(insert);
        if (group && (group.rows === undefined) !== handsOn) {
          close();
          group = undefined;
        }
        if (!group) open.set(insert, (group = { insert, positions: [], rows: handsOn ? undefined : [] }));
        group.positions.push(i);
        if (row) group.rows!.push(row);
      } catch (error) {
        failed.set(i, error);
      }
    }
    close();
    return { groups, failed };
  }

  private closed({ insert, positions, rows }: Open, batch: MessageBatch): RowGroup | JsonGroup {
    if (rows) return { insert, positions, rows };
    return {
      insert,
      positions,
      json: jsonArray(batch, positions),
      asRows: () => this.asRows(insert, positions, batch),
    };
  }

  private asRows(insert: PreparedInsert, positions: readonly number[], batch: MessageBatch): Rows {
    const failed = new Map<number, unknown>();
    const kept: number[] = [];
    const rows: Bound[][] = [];
    for (const position of positions) {
      try {
        const { bytes, mapping } = this.read(batch, position, false);
        rows.push(this.row(insert, mapping, bytes));
        kept.push(position);
      } catch (error) {
        failed.set(position, error);
      }
    }
    return { groups: rows.length > 0 ? [{ insert, positions: kept, rows }] : [], failed };
  }

  private read(
    batch: MessageBatch,
    index: number,
    isText: boolean,
  ): { readonly bytes: Buffer; readonly mapping: Mapping } {
    const { bytes, start, end } = payloadAt(batch, index);
    if (!this.members.read(bytes, start, end)) throw errors.NOT_AN_OBJECT({ what: "no JSON object" });
    if (!isText && !isUtf8(bytes.subarray(start, end))) throw errors.NOT_AN_OBJECT({ what: "not UTF-8" });
    const mapping = this.map.of(this.members.shape);
    if (mapping.columns.length === 0) throw errors.NO_FIELD({ target: this.setup.target });
    if (mapping.unmapped.length > 0 && this.setup.extra === undefined) this.warn(mapping);
    return { bytes, mapping };
  }

  private known(mapping: Mapping): PreparedInsert | undefined {
    let insert = this.inserts.get(mapping);
    if (insert) return insert;
    insert = this.prepared.get(nameOf(mapping.columns));
    if (insert) this.inserts.set(mapping, insert);
    return insert;
  }

  private async prepare({ columns }: Mapping): Promise<PreparedInsert> {
    const insert = await this.setup.prepare(columns);
    if (this.prepared.size >= PREPARED) {
      this.prepared.clear();
      this.inserts = new WeakMap();
    }
    this.prepared.set(nameOf(columns), insert);
    return insert;
  }

  private row(insert: PreparedInsert, mapping: Mapping, bytes: Buffer): Bound[] {
    const { columns, members, unmapped } = mapping;
    const row = new Array<Bound>(columns.length);
    for (let i = 0; i < columns.length; i++) {
      const member = members[i]!;
      const encode = insert.encoders[i]!;
      const collects = columns[i]!.name === this.setup.extra && unmapped.length > 0;
      row[i] = collects ? this.collected(encode, member, unmapped, bytes) : this.value(encode, member, bytes);
    }
    return row;
  }

  private value(encode: Encoder, member: number, bytes: Buffer): Bound {
    const start = this.members.starts[member]!;
    const kind = kindAt(bytes, start);
    return kind === FieldKind.null ? null : encode(kind, bytes, start, this.members.ends[member]!);
  }

  /** The fields without a column under those of the record's own value for it, whose keys win. */
  private collected(encode: Encoder, own: number, unmapped: readonly number[], bytes: Buffer): Bound {
    const { starts, ends, shape } = this.members;
    const parts: string[] = [];
    const taken = new Set<string>();
    if (own >= 0) {
      const kind = kindAt(bytes, starts[own]!);
      // A value that is no object has no room for them.
      if (kind !== FieldKind.object && kind !== FieldKind.null) return this.value(encode, own, bytes);
      const inner = new Members();
      if (kind === FieldKind.object && inner.read(bytes, starts[own]!, ends[own]!)) {
        for (const [i, name] of inner.shape.names.entries()) {
          taken.add(name);
          parts.push(`${JSON.stringify(name)}:${bytes.toString("utf8", inner.starts[i], inner.ends[i])}`);
        }
      }
    }
    for (const member of unmapped) {
      const name = shape.names[member]!;
      if (!taken.has(name))
        parts.push(`${JSON.stringify(name)}:${bytes.toString("utf8", starts[member], ends[member])}`);
    }
    const text = Buffer.from(`{${parts.join(",")}}`);
    return encode(FieldKind.object, text, 0, text.length);
  }

  /** The same text for the same key; undefined where rows have none. Throws where a part of it is missing. */
  private keyOf(mapping: Mapping, bytes: Buffer): string | undefined {
    const { key } = this.setup;
    if (key.length === 0) return undefined;
    let text = "";
    for (const column of key) {
      const at = mapping.columns.findIndex(({ name }) => name === column);
      const member = at < 0 ? -1 : mapping.members[at]!;
      if (member < 0 || kindAt(bytes, this.members.starts[member]!) === FieldKind.null) {
        throw errors.KEY_MISSING({ column });
      }
      text += `${bytes.toString("utf8", this.members.starts[member], this.members.ends[member])}\u0000`;
    }
    return text;
  }

  private warn({ unmapped }: Mapping): void {
    if (this.warned) return;
    this.warned = true;
    const names = unmapped.map((member) => this.members.shape.names[member]!);
    this.setup.log.warn(
      `${this.setup.target} has no column for ${names.join(", ")}: such fields are left out; extra_column would keep them`,
    );
  }
}

/** The payloads as one JSON array. */
function jsonArray(batch: MessageBatch, positions: readonly number[]): Buffer {
  let size = 1 + positions.length;
  for (const position of positions) {
    const { start, end } = payloadAt(batch, position);
    size += end - start;
  }
  const array = Buffer.allocUnsafe(size);
  let at = 0;
  for (const position of positions) {
    array[at] = at === 0 ? 0x5b : 0x2c;
    const { bytes, start, end } = payloadAt(batch, position);
    at += 1 + bytes.copy(array, at + 1, start, end);
  }
  array[at] = 0x5d;
  return array;
}

function nameOf(columns: readonly ColumnInfo[]): string {
  return columns.map(({ name }) => name).join("\u0000");
}

function kindAt(bytes: Buffer, at: number): Parameters<Encoder>[0] {
  switch (bytes[at]) {
    case 0x22:
      return FieldKind.string;
    case 0x7b:
      return FieldKind.object;
    case 0x5b:
      return FieldKind.array;
    case 0x74:
      return FieldKind.true;
    case 0x66:
      return FieldKind.false;
    case 0x6e:
      return FieldKind.null;
    default:
      return FieldKind.number;
  }
}
