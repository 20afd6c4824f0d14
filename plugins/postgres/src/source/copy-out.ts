import type pg from "pg";

/** Takes the rows of a COPY, one call each; `bytes[from .. to)` with its line break, good until it returns. */
export interface RowTaker {
  row(bytes: Buffer, from: number, to: number): void;
}

const COPY_DATA = 0x64;
/** What may come between them: the beginning of the copy, settings, notices, notifications. */
const SKIPPED = [0x48, 0x53, 0x4e, 0x41];
/** A kind and a length. */
const HEADER = 5;

interface Stream {
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  off(event: "data", listener: (chunk: Buffer) => void): unknown;
  listeners(event: "data"): ((chunk: Buffer) => void)[];
}

interface Connection {
  readonly stream: Stream;
  query(text: string): void;
}

/**
 * Runs `COPY … TO STDOUT` and takes its rows from the socket, without an object for each: the client's own reader stands
 * aside meanwhile and goes on with what follows them.
 */
export function copyOut(client: pg.ClientBase, sql: string, taker: RowTaker): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(new CopyOut(sql, taker, resolve, reject) as unknown as pg.Submittable);
  });
}

class CopyOut {
  private readonly sql: string;
  private readonly taker: RowTaker;
  private readonly resolve: () => void;
  private readonly reject: (error: unknown) => void;
  private stream: Stream | undefined;
  private reader: ((chunk: Buffer) => void) | undefined;
  /** The beginning of a message, and how many bytes it needs before it can be looked at again. */
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private needed = HEADER;
  private failure: unknown;

  constructor(sql: string, taker: RowTaker, resolve: () => void, reject: (error: unknown) => void) {
    this.sql = sql;
    this.taker = taker;
    this.resolve = resolve;
    this.reject = reject;
  }

  submit(connection: Connection): void {
    const { stream } = connection;
    this.stream = stream;
    [this.reader] = stream.listeners("data");
    stream.off("data", this.reader!);
    stream.on("data", this.take);
    connection.query(this.sql);
  }

  // What the client tells the query that runs.

  handleError(error: unknown): void {
    this.reject(error);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    if (this.failure === undefined) this.resolve();
    else this.reject(this.failure);
  }

  private readonly take = (chunk: Buffer): void => {
    let bytes = chunk;
    if (this.waitingBytes > 0) {
      this.waiting.push(chunk);
      this.waitingBytes += chunk.length;
      if (this.waitingBytes < this.needed) return;
      bytes = Buffer.concat(this.waiting, this.waitingBytes);
      this.waiting = [];
      this.waitingBytes = 0;
    }
    let at = 0;
    this.needed = HEADER;
    while (at + HEADER <= bytes.length) {
      const kind = bytes[at]!;
      if (kind !== COPY_DATA && !SKIPPED.includes(kind)) {
        this.giveBack(bytes.subarray(at));
        return;
      }
      const end = at + 1 + bytes.readUInt32BE(at + 1);
      if (end > bytes.length) {
        this.needed = end - at;
        break;
      }
      if (kind === COPY_DATA && this.failure === undefined) this.give(bytes, at + HEADER, end);
      at = end;
    }
    if (at === bytes.length) return;
    this.waiting.push(bytes.subarray(at));
    this.waitingBytes = bytes.length - at;
  };

  /** A row that cannot be taken ends the query, not the connection: the others are read and left. */
  private give(bytes: Buffer, from: number, to: number): void {
    try {
      this.taker.row(bytes, from, to);
    } catch (error) {
      this.failure = error;
    }
  }

  private giveBack(rest: Buffer): void {
    this.stream!.off("data", this.take);
    this.stream!.on("data", this.reader!);
    this.reader!(rest);
  }
}
