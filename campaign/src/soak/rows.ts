import { constants, openSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { Socket } from "node:net";
import { rowNumber, rowText } from "../ledger.ts";

const TICK_MS = 50;
const AT_ONCE = 500;
/** Rows that may be on their way when as many as can go through are put in. */
const AHEAD = 100_000;

/** Appends rows to a file, so many a second. */
export class RowWriter {
  /** Rows that were written. */
  rows = 0;
  private readonly path: string;
  private readonly reader: RowReader;
  private stopped = false;
  private writing: Promise<void> | undefined;

  constructor(path: string, reader: RowReader) {
    this.path = path;
    this.reader = reader;
  }

  /** Rows a second from now on; Infinity = as many as come out. */
  async pace(rate: number): Promise<void> {
    await this.pause();
    this.stopped = false;
    this.writing = this.write(rate);
  }

  async pause(): Promise<void> {
    this.stopped = true;
    await this.writing;
  }

  private async write(rate: number): Promise<void> {
    let last = performance.now();
    let due = 0;
    while (!this.stopped) {
      const now = performance.now();
      // A machine that is busy for a while does not get all of it at once.
      due = Math.min(due + ((now - last) / 1000) * rate, Math.max(rate, AT_ONCE), AHEAD + this.reader.rows - this.rows);
      last = now;
      for (; due >= 1; due -= Math.min(due, AT_ONCE)) await this.append(Math.min(Math.floor(due), AT_ONCE));
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
  }

  private async append(count: number): Promise<void> {
    let text = "";
    for (let i = 0; i < count; i++) text += `${rowText(this.rows + i)}\n`;
    await appendFile(this.path, text);
    this.rows += count;
  }
}

/** Counts how often each row comes out of a named pipe, which it keeps open while the program opens it again and again. */
export class RowReader {
  /** Different rows. */
  rows = 0;
  twice = 0;
  foreign = 0;
  private seen = new Uint8Array(1 << 20);
  private readonly pipe: Socket;

  constructor(path: string) {
    const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    this.pipe = new Socket({ fd, readable: true, writable: false });
    let rest = "";
    this.pipe.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.take(line);
    });
  }

  close(): void {
    this.pipe.destroy();
  }

  private take(line: string): void {
    const n = rowNumber(line);
    if (n === undefined) {
      this.foreign += 1;
      return;
    }
    if (n >= this.seen.length) {
      const more = new Uint8Array(2 * Math.max(n, this.seen.length));
      more.set(this.seen);
      this.seen = more;
    }
    if (this.seen[n] === 1) this.twice += 1;
    else this.rows += 1;
    this.seen[n] = 1;
  }
}
