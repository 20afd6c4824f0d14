import { ChangeChunk } from "./chunk.ts";

/** The first rows of a transaction, which the end of its commit tells from others. */
export interface Part {
  readonly lsn: bigint;
  readonly rows: number;
}

/** The first chunk is a small one: most streams are idle. */
const FIRST = 64 * 1024;
const MORE = 1 << 20;
/** Chunks that wait to be used again: as many as are filled while a sink writes. */
const MOST_FREE = 4;
/** Ready rows up to which more is read, in bytes. */
const MOST_UNREAD = 4 * 1024 * 1024;

/** Rows of one chunk that were taken together. */
export interface Taken {
  readonly chunk: ChangeChunk;
  readonly from: number;
  readonly to: number;
}

/**
 * The changes that were read and are not settled, in the order of their commits. Rows of a transaction become ready with its
 * commit. Position moves over what was acked without a gap.
 */
export class ChangeLog {
  /** Everything before it was acked, or was never anybody's. */
  confirmed: bigint;
  /** Everything before it was read, as far as the server has said. */
  private passed: bigint;
  /** Bytes of rows that wait to be handed out, the open transaction included. */
  unread = 0;
  private readonly chunks: ChangeChunk[] = [new ChangeChunk(0, FIRST)];
  /** Behind their last row, and nobody looks at them any more. */
  private readonly free: ChangeChunk[] = [];
  /** Numbers among all rows. */
  private next = 0;
  private read = 0;
  private acked = 0;
  private readyRows = 0;
  /** Where what is not released of the open transaction begins; -1 = there is none. */
  private open = -1;
  /** The first row of the transaction that was begun last. */
  private began = 0;
  /** The ends of transactions that are not settled, from `firstMark` on. */
  private marks: { readonly row: number; lsn: bigint }[] = [];
  private firstMark = 0;

  /** Rows of the first transaction that were acked in an earlier stream. */
  private known: Part | undefined;

  constructor(confirmed: bigint, known?: Part) {
    this.confirmed = confirmed;
    this.passed = confirmed;
    this.known = known;
  }

  get hasReady(): boolean {
    return this.read < this.readyRows;
  }

  /** Nothing more should be read until some of it is taken. */
  get isFull(): boolean {
    return this.unread > MOST_UNREAD && this.hasReady;
  }

  /** Nothing is on its way or waits. */
  get isIdle(): boolean {
    return this.acked === this.next && this.open < 0;
  }

  get unsettled(): number {
    return this.readyRows - this.acked;
  }

  /** Rows of a transaction follow. */
  begin(): void {
    this.open = this.began = this.next;
  }

  get isOpen(): boolean {
    return this.open >= 0;
  }

  /** A chunk with room for one more row. */
  room(bytes: number): ChangeChunk {
    const last = this.chunks.at(-1)!;
    if (last.hasRoom(bytes)) return last;
    const chunk = bytes > MORE ? new ChangeChunk(this.next, bytes) : new ChangeChunk(this.next, MORE, this.free.pop());
    // One without rows is nobody's.
    if (last.rows === 0 && this.chunks.length > 0) this.chunks.pop();
    this.chunks.push(chunk);
    return chunk;
  }

  /** A row was written at the end of the last chunk. */
  added(bytes: number): void {
    this.next++;
    this.unread += bytes;
  }

  /** The chunk that the last row was written into. */
  get last(): ChangeChunk {
    return this.chunks.at(-1)!;
  }

  /** The open transaction was undone: what is not released of it is nobody's. Gives whether some of it was released. */
  discard(): boolean {
    const { open } = this;
    while (this.chunks.length > 1 && this.chunks.at(-1)!.base > open) this.unread -= this.chunks.pop()!.discard(0);
    const { last } = this;
    this.unread -= last.discard(Math.max(0, open - last.base));
    this.next = Math.min(this.next, open);
    this.open = -1;
    return this.readyRows > this.began;
  }

  /** What was added to the open transaction may be handed out: its commit ended there. */
  release(lsn: bigint): void {
    for (let i = this.chunks.length - 1; i >= 0; i--) {
      const chunk = this.chunks[i]!;
      const from = Math.max(0, this.open - chunk.base);
      if (from < chunk.rows) chunk.lsns.fill(lsn, from, chunk.rows);
      chunk.ready = chunk.rows;
      if (chunk.base <= this.open) break;
    }
    this.open = this.next;
    this.readyRows = this.next;
    if (this.known) this.leaveOut(lsn, this.known);
  }

  /** After an ack that ends inside of a transaction: which of its rows are acked. */
  partOf({ chunk }: Taken, to: number): Part | undefined {
    const lsn = to > 0 ? chunk.lsns[to - 1]! : 0n;
    return lsn > this.confirmed ? { lsn, rows: chunk.ordinals[to - 1]! + 1 } : undefined;
  }

  private leaveOut(lsn: bigint, known: Part): void {
    if (!this.hasReady) return;
    this.known = undefined;
    if (lsn !== known.lsn) return;
    let left = known.rows;
    for (let taken = this.take(left); taken; taken = left > 0 ? this.take(left) : undefined) {
      left -= taken.to - taken.from;
      this.ack(taken, taken.to);
    }
    // The rest of it is released later.
    if (left > 0) this.known = { lsn, rows: left };
  }

  /** The transaction is complete. */
  commit(lsn: bigint): void {
    this.release(lsn);
    this.open = -1;
    const last = this.marks.at(-1);
    // Servers up to version 14 send transactions without rows too, without end while a batch is held.
    if (last?.row === this.next) last.lsn = lsn;
    else this.marks.push({ row: this.next, lsn });
    if (lsn > this.passed) this.passed = lsn;
    this.settleMarks();
  }

  /** The server has nothing for us before this place but what it has sent. */
  reached(lsn: bigint): void {
    if (this.open < 0 && lsn > this.passed) this.passed = lsn;
    if (this.isIdle && this.passed > this.confirmed) this.confirmed = this.passed;
  }

  get position(): bigint {
    return this.passed;
  }

  take(max: number): Taken | undefined {
    if (!this.hasReady) return undefined;
    const chunk = this.chunks.find((one) => this.read < one.base + one.ready && this.read >= one.base)!;
    const from = this.read - chunk.base;
    const to = Math.min(chunk.ready, from + max);
    this.read += to - from;
    this.unread -= sizeOf(chunk, from, to);
    return { chunk, from, to };
  }

  /** Somebody looks at these rows until `giveBack`; whoever never says it keeps their memory. */
  lend({ chunk }: Taken): void {
    chunk.lent++;
  }

  /** Called once for what was lent, behind its `ack`. */
  giveBack({ chunk }: Taken): void {
    chunk.lent--;
    // Otherwise some of its rows are not acked, or more are written into it.
    if (!this.chunks.includes(chunk)) this.keep(chunk);
  }

  private keep(chunk: ChangeChunk): void {
    if (chunk.lent > 0 || chunk.bytes.length !== MORE || this.free.length >= MOST_FREE) return;
    this.free.push(chunk);
  }

  /** Everything up to and without this row is acked. Called in the order of the rows. */
  ack({ chunk }: Taken, to: number): void {
    this.acked = Math.max(this.acked, chunk.base + to);
    while (this.chunks.length > 1 && this.chunks[0]!.base + this.chunks[0]!.rows <= this.acked)
      this.keep(this.chunks.shift()!);
    this.settleMarks();
  }

  /** What was handed out and is not acked is handed out again. */
  rewind(): void {
    for (const chunk of this.chunks) {
      const from = Math.max(this.acked - chunk.base, 0);
      const to = Math.min(this.read - chunk.base, chunk.rows);
      if (from < to) this.unread += sizeOf(chunk, from, to);
    }
    this.read = this.acked;
  }

  private settleMarks(): void {
    const { marks } = this;
    while (this.firstMark < marks.length && marks[this.firstMark]!.row <= this.acked) {
      const { lsn } = marks[this.firstMark++]!;
      if (lsn > this.confirmed) this.confirmed = lsn;
    }
    if (this.firstMark > 1000 || this.firstMark === marks.length) {
      this.marks = marks.slice(this.firstMark);
      this.firstMark = 0;
    }
    if (this.isIdle && this.passed > this.confirmed) this.confirmed = this.passed;
  }
}

function sizeOf({ starts, ends }: ChangeChunk, from: number, to: number): number {
  // With the line break behind the last one.
  return ends[to - 1]! + 1 - starts[from]!;
}
