import { batchOf, type Delivery, type EndpointStatus } from "@mqb/core/plugin";
import { isJsonArray, isJsonObject, JsonNumber, parseJson, writeJson } from "@mqb/json";
import {
  ChangeIds,
  ChangeLog,
  Handout,
  type IdHash,
  type LatestWriter,
  quoteIdentifier,
  type Settled,
  type TablesConsumer,
  Turns,
} from "@mqb/sql";
import type pg from "pg";
import { errors } from "../../errors.ts";
import { literal } from "../../source/row-json.ts";
import { arrayText } from "../../types.ts";
import type { UserTypes } from "../../user-types.ts";
import { StreamFault } from "../decode/fault.ts";
import { relationOf } from "../decode/relation.ts";
import { RowWriter } from "../decode/row-writer.ts";
import { NAMES } from "../names.ts";
import type { Progress } from "../position/positions.ts";
import { type PublishedTable, tableSql } from "../server/catalog.ts";
import { cut, disconnect } from "../server/connection.ts";
import { formatLsn } from "../server/lsn.ts";
import { refused } from "../server/refused.ts";
import { CopyText } from "./copy-text.ts";

export interface BackfillSetup {
  /** In a transaction that sees what the tables were like when the slot was made. */
  readonly client: pg.Client;
  readonly tables: readonly PublishedTable[];
  readonly slot: string;
  readonly publication: string;
  readonly target: string;
  /** Where that is: changes behind it come from the slot. */
  readonly lsn: bigint;
  readonly from: Exclude<Progress, { readonly done: true }> | undefined;
  /** Knows those of the tables. */
  readonly types: UserTypes;
  readonly idHash: IdHash;
  readonly stamps: boolean;
  readonly save: (progress: Progress) => Promise<void>;
  readonly saver: LatestWriter<Progress> | undefined;
}

const BYTEA = 17;
const DONE: Promise<void> = Promise.resolve();
const NOTHING: Delivery = { batch: batchOf([]), commit: () => DONE };

/** Reads the rows of the published tables, one table after the other in the order of its key. */
export class BackfillConsumer implements TablesConsumer {
  private readonly s: BackfillSetup;
  private readonly log: ChangeLog;
  private readonly rows: RowWriter;
  private readonly handout: Handout;
  private readonly turns: Turns = new Turns();
  private failure: { readonly error: unknown } | undefined;
  private closing: Promise<void> | undefined;
  private isRead = false;
  private count: number;
  private acked: number;
  private table: PublishedTable | undefined;
  private readonly reading: Promise<void>;

  constructor(setup: BackfillSetup) {
    this.s = setup;
    this.log = new ChangeLog(setup.lsn);
    this.rows = new RowWriter(this.log, false);
    const { slot, stamps, idHash } = setup;
    const fields = { ids: new ChangeIds(idHash), names: NAMES, source: slot, stamps, isSnapshot: true };
    this.handout = new Handout(this.log, fields, (settled) => this.settled(settled));
    this.count = this.acked = setup.from?.rows ?? 0;
    this.reading = this.read().catch((error: unknown) => this.failed(error));
  }

  /** An empty batch stands for the end, or for a stop. */
  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    for (;;) {
      if (this.failure) throw this.failure.error;
      if (this.closing) throw errors.CLOSED({ target: this.s.target });
      const delivery = this.handout.next(max);
      if (delivery) {
        this.turns.hasRoom();
        return delivery;
      }
      if (signal.aborted || this.isRead) return NOTHING;
      await this.turns.rows(signal);
    }
  }

  /** Every row was handed out and acked. */
  get isDone(): boolean {
    return this.isRead && this.log.isIdle && !this.failure;
  }

  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  status(): EndpointStatus {
    const { target, slot, publication, tables } = this.s;
    const { error } = this.failure ?? {};
    return {
      healthy: !this.failure && !this.closing,
      target: `${target} ${publication}`,
      ...(error instanceof Error ? { error: error.message } : {}),
      details: {
        mode: "snapshot",
        slot,
        publication,
        tables: tables.length,
        table: this.table === undefined ? null : `${this.table.schema}.${this.table.table}`,
        rows: this.acked,
        unsettled: this.log.unsettled,
      },
    };
  }

  private async read(): Promise<void> {
    const { from, tables, client, lsn, types } = this.s;
    const { to: copyTo } = await import("pg-copy-streams");
    for (const table of tables) {
      if (from && isBefore(table, from)) continue;
      this.table = table;
      const after = from && from.schema === table.schema && from.table === table.table ? from.key : undefined;
      const relation = relationOf(table, types);
      const text = new CopyText(table.columns.length);
      for await (const chunk of client.query(copyTo(selectOf(table, after))) as AsyncIterable<Buffer>) {
        if (this.isOver) return;
        text.push(chunk);
        this.log.begin();
        while (text.next()) this.rows.row(relation, text.bytes, text.tuple, text.end, this.count++);
        this.log.commit(lsn);
        this.turns.hasRows();
        while (this.log.isFull && !this.isOver) await this.turns.room();
      }
    }
    this.isRead = true;
    this.turns.hasRows();
  }

  private get isOver(): boolean {
    return this.closing !== undefined || this.failure !== undefined;
  }

  private failed(error: unknown): void {
    if (this.isOver) return;
    const { target, slot } = this.s;
    this.failure = {
      error:
        error instanceof StreamFault
          ? errors.STREAM({ target, reason: error.message }, { cause: error })
          : refused(error, target, slot),
    };
    this.turns.hasRows();
  }

  private settled({ taken: { chunk, from }, to, hasNacked }: Settled): Promise<void> {
    if (hasNacked) this.turns.hasRows();
    if (to === from) return DONE;
    this.acked += to - from;
    const row = to - 1;
    const { schema, table } = chunk.relations[chunk.relationOf[row]!]!;
    const published = this.s.tables.find((one) => one.schema === schema && one.table === table)!;
    const progress: Progress = {
      lsn: formatLsn(this.s.lsn),
      schema,
      table,
      key: keyOf(chunk.bytes.subarray(chunk.starts[row]!, chunk.ends[row]!), published),
      rows: this.acked,
    };
    return this.s.save(progress);
  }

  private async end(): Promise<void> {
    this.turns.hasRows();
    this.turns.hasRoom();
    if (!this.isRead) cut(this.s.client);
    await this.reading;
    await this.s.saver?.settled();
    await disconnect(this.s.client);
  }
}

/** Tables are read in the order of their names. */
function isBefore(table: PublishedTable, from: { readonly schema: string; readonly table: string }): boolean {
  return (
    (Buffer.compare(Buffer.from(table.schema), Buffer.from(from.schema)) ||
      Buffer.compare(Buffer.from(table.table), Buffer.from(from.table))) < 0
  );
}

/** The key of a row, as a literal of its type has it. */
function keyOf(payload: Buffer, { primaryKey, columns }: PublishedTable): string {
  const record = parseJson(payload);
  const [name] = primaryKey;
  const value = isJsonObject(record) ? record.get(name!) : undefined;
  if (value instanceof JsonNumber) return value.text;
  if (isJsonArray(value)) return arrayText(value);
  if (isJsonObject(value)) return writeJson(value).toString();
  const isBytes = columns.find((column) => column.name === name)?.type === BYTEA;
  return `${isBytes ? "\\x" : ""}${String(value)}`;
}

function selectOf(table: PublishedTable, after: string | undefined): string {
  const [key] = table.primaryKey;
  const cursor = quoteIdentifier(key!);
  const conditions = [
    ...(table.filter === undefined ? [] : [`(${table.filter})`]),
    ...(after === undefined ? [] : [`${cursor} > ${literal(after)}`]),
  ];
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(" AND ")}` : "";
  const columns = table.columns.map(({ name }) => quoteIdentifier(name)).join(", ");
  // Tables that inherit from it are published under their own names.
  const from = `${table.isPartitioned ? "" : "ONLY "}${tableSql(table)}`;
  return `COPY (SELECT ${columns} FROM ${from}${where} ORDER BY ${cursor}) TO STDOUT`;
}
