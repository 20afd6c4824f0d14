import {
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  type Logger,
  type Slab,
  slabBatch,
} from "@mqb/core/plugin";
import type { PreparedPages } from "../contract.ts";
import { errors } from "../errors.ts";
import { CursorValues } from "./cursor-values.ts";
import type { Horizon } from "./horizon.ts";
import type { Pauses } from "./pause.ts";
import type { Saver } from "./saver.ts";
import { untilThere } from "./until-there.ts";

export interface CursorSetup {
  readonly pages: PreparedPages;
  readonly column: string;
  readonly table: string;
  readonly target: string;
  /** Where to begin; undefined = at the first row. */
  readonly after: string | undefined;
  readonly saver: Saver;
  /** Up to where rows are handed out; undefined = whatever is there. */
  readonly horizon: Horizon | undefined;
  /** Stamp positions. */
  readonly stamp: boolean;
  readonly pauses: Pauses;
  readonly draining: boolean;
  readonly log: Logger;
  readonly details: Readonly<Record<string, unknown>>;
  readonly release: () => Promise<void>;
}

/** Rows of one page, of which those before `at` were handed out. */
interface Page {
  readonly slab: Slab;
  at: number;
  /** Behind the last row that may be handed out: the run of the last value may go on in the next page. */
  readonly end: number;
  readonly full: boolean;
  /** Deliveries that somebody may look at. */
  held: number;
}

/** Bytes that a page should have: what is read ahead stays near it. */
const PAGE_BYTES = 2 * 1024 * 1024;
const MOST_ROWS = 20_000;
const EMPTY: Slab = { bytes: Buffer.alloc(0), starts: new Uint32Array(0), ends: new Uint32Array(0) };
const noRows = (): Page => pageOf(EMPTY, 0, false);

/** Reads a table in the order of a column. Pages are read ahead; rows of one value are never torn apart. */
export class CursorConsumer implements Consumer {
  private readonly setup: CursorSetup;
  private readonly values: CursorValues;
  private readonly closed = new AbortController();
  private page: Page | undefined;
  /** Behind the last row that was handed out. */
  private after: string | undefined;
  private ahead: { readonly after: string; readonly page: Promise<Page> } | undefined;
  private rowBytes = 0;
  private closing: Promise<void> | undefined;
  /** Changes with every nack: what was handed out before it does not move the position any more. */
  private epoch = 0;

  constructor(setup: CursorSetup) {
    this.setup = setup;
    this.values = new CursorValues(setup.column);
    this.after = setup.after;
  }

  receive(max: number, signal: AbortSignal): Promise<Delivery> {
    const { pauses, draining, horizon } = this.setup;
    const stop = AbortSignal.any([signal, this.closed.signal]);
    return untilThere({
      pauses,
      stop,
      isDone: () => draining && !horizon?.isWaiting,
      next: () => this.next(max, stop),
    });
  }

  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  status(): EndpointStatus {
    const { target, details, saver } = this.setup;
    const waiting = this.setup.horizon?.isWaiting ? { waits_for_transactions: true } : {};
    return { healthy: true, target, details: { ...details, position: saver.saved ?? null, ...waiting } };
  }

  private async next(max: number, signal: AbortSignal): Promise<Delivery | undefined> {
    const { epoch } = this;
    if (!this.page || this.page.at === this.page.end) {
      const page = await this.read(max, signal);
      // A nack has sent the source back meanwhile.
      if (this.epoch !== epoch) return this.next(max, signal);
      this.page = page;
      if (page.full) this.readAhead(this.valueOf(page.slab, page.end - 1), max);
    }
    const { page } = this;
    const { slab, at } = page;
    const end = this.cut(page, max);
    if (end === at) return undefined;
    page.at = end;
    this.after = this.valueOf(slab, end - 1);
    return this.delivery(page, part(slab, at, end), this.after);
  }

  /** Where the next batch ends: behind the last whole run that fits. */
  private cut({ slab, at, end: most }: Page, max: number): number {
    if (at + max >= most) return most;
    const end = this.startOfRun(slab, at, at + max);
    if (end === at) throw this.run(max);
    return end;
  }

  /** The first row, from `from` on, that has the value of the row at `row`. */
  private startOfRun(slab: Slab, from: number, row: number): number {
    const value = this.valueOf(slab, row);
    let start = row;
    while (start > from && this.valueOf(slab, start - 1) === value) start--;
    return start;
  }

  private run(max: number): Error {
    const { column, target } = this.setup;
    return errors.CURSOR_RUN({ column, target, max });
  }

  private async read(max: number, signal: AbortSignal): Promise<Page> {
    const { ahead } = this;
    this.ahead = undefined;
    return ahead && ahead.after === this.after ? ahead.page : this.load(this.after, max, signal);
  }

  private readAhead(after: string, max: number): void {
    const page = this.load(after, max, this.closed.signal);
    page.catch(() => {}); // whoever takes it gets the error
    this.ahead = { after, page };
  }

  private async load(after: string | undefined, max: number, signal: AbortSignal): Promise<Page> {
    const { epoch } = this;
    // The row beyond a batch tells whether its last run is whole.
    const fits = this.rowBytes > 0 ? Math.floor(PAGE_BYTES / this.rowBytes) : 0;
    const limit = Math.max(max + 1, Math.min(fits, MOST_ROWS));
    const { pages, horizon } = this.setup;
    const upTo = await horizon?.next(signal);
    if (horizon && upTo === undefined) return noRows();
    const slab = await pages.read(after, limit, signal, upTo);
    const rows = slab.starts.length;
    if (rows > 0) this.rowBytes = Math.max(1, (slab.ends[rows - 1]! - slab.starts[0]!) / rows);
    if (rows < limit) {
      // After a nack there are rows before it again.
      if (this.epoch === epoch) horizon?.spend();
      return pageOf(slab, rows, false);
    }
    const end = this.startOfRun(slab, 0, rows - 1);
    if (end === 0) throw this.run(max);
    return pageOf(slab, end, true);
  }

  private delivery(page: Page, slab: Slab, last: string): Delivery {
    const { saver, stamp, pages } = this.setup;
    const { epoch } = this;
    page.held += 1;
    const batch = stamp ? slabBatch(slab, this.positions(slab)) : slabBatch(slab);
    return {
      batch,
      release() {
        page.held -= 1;
        if (page.held === 0 && page.at === page.end) pages.giveBack?.(page.slab);
      },
      commit: async (dispositions) => {
        if (this.epoch !== epoch) return;
        if (!isNacked(dispositions)) return saver.save(last);
        // The source goes back to the last row that was acked without a gap before it.
        this.epoch++;
        this.after = saver.acked;
        this.page = this.ahead = undefined;
        this.setup.horizon?.reopen();
      },
    };
  }

  private positions(slab: Slab): { metadata(index: number): ReadonlyMap<string, string> } {
    const { column, target, table } = this.setup;
    const values = Array.from(slab.starts, (_, row) => this.valueOf(slab, row));
    if (values.some((value, i) => !/^\d+$/.test(value) || value === values[i - 1])) {
      throw errors.CURSOR_POSITION({ column, target });
    }
    return {
      metadata: (index) =>
        new Map([
          ["mqb.src.sqlx_table", table],
          ["mqb.src.sqlx_cursor", values[index]!],
        ]),
    };
  }

  private valueOf(slab: Slab, row: number): string {
    const { pages } = this.setup;
    const value = this.values.of(slab, row);
    if (value !== undefined && (pages.kind === "str" || /^-?\d+$/.test(value))) return value;
    throw errors.ROW({ target: this.setup.target, reason: `its ${this.setup.column} is no cursor` });
  }

  private async end(): Promise<void> {
    this.closed.abort();
    await this.ahead?.page.catch(() => {});
    await this.setup.saver.close();
    await this.setup.release();
  }
}

function pageOf(slab: Slab, end: number, full: boolean): Page {
  return { slab, at: 0, end, full, held: 0 };
}

function part(slab: Slab, from: number, to: number): Slab {
  return { ...slab, starts: slab.starts.slice(from, to), ends: slab.ends.slice(from, to) };
}

function isNacked(dispositions: readonly Disposition[] | undefined): boolean {
  return dispositions?.some(({ type }) => type === "nack") ?? false;
}
