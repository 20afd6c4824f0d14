import { batchOf, type Delivery, type EndpointStatus, type Slab } from "@mqb/core/plugin";
import { compileFields, type FieldFinder, isJsonObject, JsonNumber, parseJson } from "@mqb/json";
import {
  type ChangedTable,
  ChangeIds,
  ChangeLog,
  Fnv128,
  Handout,
  type IdHash,
  INSERT,
  type LatestWriter,
  RowEnds,
  type Settled,
  type TablesConsumer,
  Turns,
} from "@mqb/sql";
import type { MysqlTable } from "../../catalog.ts";
import type { Session } from "../../client/session.ts";
import { errors } from "../../errors.ts";
import { preparePages } from "../../source/pages.ts";
import { namesIn } from "../names.ts";
import { formatPlace } from "../place.ts";
import type { Progress } from "../positions.ts";
import { refused } from "../server.ts";
import { compareNames } from "../tables.ts";

export interface BackfillTable {
  readonly schema: string;
  readonly table: string;
  /** The primary key. */
  readonly key: string;
  readonly described: MysqlTable;
}

export interface BackfillSetup {
  /** In a transaction that sees one state of the tables. */
  readonly session: Session;
  readonly tables: readonly BackfillTable[];
  readonly source: string;
  readonly target: string;
  readonly base: string;
  /** Where that state is: changes behind it come from the log. */
  readonly place: bigint;
  readonly from: Exclude<Progress, { readonly done: true }> | undefined;
  readonly idHash: IdHash;
  readonly stamps: boolean;
  readonly save: (progress: Progress) => Promise<void>;
  readonly saver: LatestWriter<Progress> | undefined;
  /** The transaction is not needed any more. */
  readonly release: () => Promise<void>;
}

const PAGE_ROWS = 2000;
const DONE: Promise<void> = Promise.resolve();
const NOTHING: Delivery = { batch: batchOf([]), commit: () => DONE };

/** Reads the rows of tables, one table after the other in the order of its key. */
export class BackfillConsumer implements TablesConsumer {
  private readonly s: BackfillSetup;
  private readonly log: ChangeLog;
  private readonly rowEnds: RowEnds;
  private readonly handout: Handout;
  private readonly turns: Turns = new Turns();
  private failure: { readonly error: unknown } | undefined;
  private closing: Promise<void> | undefined;
  private isRead = false;
  private count: number;
  private acked: number;
  private current: BackfillTable | undefined;
  private readonly over = new AbortController();
  private readonly reading: Promise<void>;

  constructor(setup: BackfillSetup) {
    this.s = setup;
    this.log = new ChangeLog(setup.place);
    this.rowEnds = new RowEnds(this.log);
    const { base, source, stamps, idHash } = setup;
    const fields = { ids: new ChangeIds(idHash), names: namesIn(base), source, stamps, isSnapshot: true };
    this.handout = new Handout(this.log, fields, (settled) => this.settled(settled));
    this.count = this.acked = setup.from?.rows ?? 0;
    this.reading = this.read().catch((error: unknown) => this.failed(error));
  }

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

  get isDone(): boolean {
    return this.isRead && this.log.isIdle && !this.failure;
  }

  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  status(): EndpointStatus {
    const { target, source, tables } = this.s;
    const { error } = this.failure ?? {};
    const { current } = this;
    return {
      healthy: !this.failure && !this.closing,
      target,
      ...(error instanceof Error ? { error: error.message } : {}),
      details: {
        mode: "snapshot",
        source,
        tables: tables.length,
        table: current ? `${current.schema}.${current.table}` : null,
        rows: this.acked,
        unsettled: this.log.unsettled,
      },
    };
  }

  private async read(): Promise<void> {
    const { from, tables, session, target } = this.s;
    const place = { target, use: <T>(work: (one: Session) => Promise<T>): Promise<T> => work(session) };
    for (const table of tables) {
      const { schema, table: name, key, described } = table;
      if (from && compareNames(table, from) < 0) continue;
      this.current = table;
      let after = from && compareNames(table, from) === 0 ? from.key : undefined;
      const pages = preparePages(
        place,
        { table: { table: name, schema, written: name }, cursor: key, rfc3339: false },
        described,
      );
      const changed = { schema, table: name, idPrefix: Fnv128.of(Buffer.from(`${schema}.${name}\0`)) };
      const finder = compileFields([[key]]);
      for (;;) {
        const slab = await pages.read(after, PAGE_ROWS, this.over.signal);
        if (this.isOver) return;
        const rows = slab.starts.length;
        if (rows > 0) after = keyOf(slab.bytes.subarray(slab.starts[rows - 1], slab.ends[rows - 1]), key);
        this.add(slab, changed, finder);
        if (rows < PAGE_ROWS) break;
        while (this.log.isFull && !this.isOver) await this.turns.room();
        if (this.isOver) return;
      }
    }
    this.isRead = true;
    this.turns.hasRows();
  }

  private add({ bytes, starts, ends }: Slab, table: ChangedTable, finder: FieldFinder): void {
    const { log, rowEnds } = this;
    if (starts.length === 0) return;
    log.begin();
    for (let row = 0; row < starts.length; row++) {
      const [start, end] = [starts[row]!, ends[row]!];
      finder.find(bytes, start, end);
      const [from, to] = [finder.starts[0]!, finder.ends[0]!];
      const chunk = log.room(end - start + (to - from) + 16);
      const { front } = chunk;
      chunk.bytes.set(bytes.subarray(start, end), front);
      rowEnds.keyRanges[0] = from - start + front;
      rowEnds.keyRanges[1] = to - start + front;
      rowEnds.finish(chunk, table, INSERT, front + (end - start), this.count++, 2);
    }
    log.commit(this.s.place);
    this.turns.hasRows();
  }

  private get isOver(): boolean {
    return this.closing !== undefined || this.failure !== undefined;
  }

  private failed(error: unknown): void {
    if (this.isOver) return;
    const { target, base, place } = this.s;
    this.failure = { error: refused(error, target, formatPlace(base, place)) };
    this.turns.hasRows();
  }

  private settled({ taken, to }: Settled): Promise<void> {
    const { chunk, from } = taken;
    // After a nack there is something to hand out, after an ack perhaps nothing any more.
    this.turns.hasRows();
    if (to === from) return DONE;
    this.acked += to - from;
    const row = to - 1;
    const { schema, table } = chunk.relations[chunk.relationOf[row]!]!;
    const { key } = this.s.tables.find((one) => one.schema === schema && one.table === table)!;
    const payload = chunk.bytes.subarray(chunk.starts[row]!, chunk.ends[row]!);
    const position = formatPlace(this.s.base, this.s.place);
    return this.s.save({ position, schema, table, key: keyOf(payload, key), rows: this.acked });
  }

  private async end(): Promise<void> {
    this.over.abort();
    this.turns.hasRows();
    this.turns.hasRoom();
    if (!this.isRead) this.s.session.destroy();
    await this.reading;
    await this.s.saver?.settled();
    await this.s.release();
  }
}

/** The key of a row, as the server prints it. */
function keyOf(payload: Uint8Array, key: string): string {
  const record = parseJson(payload);
  const value = isJsonObject(record) ? record.get(key) : undefined;
  return value instanceof JsonNumber ? value.text : String(value);
}
