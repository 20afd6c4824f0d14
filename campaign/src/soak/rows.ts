import { once } from "node:events";
import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { rowNumber, rowText } from "../ledger.ts";

const TICK_MS = 50;
const AT_ONCE = 500;

/** Writes rows into a named pipe, so many a second; fewer while nobody takes them. */
export class RowWriter {
  /** Rows that were written. */
  rows = 0;
  private readonly pipe: WriteStream;
  private stopped = false;
  private writing: Promise<void> | undefined;

  constructor(path: string) {
    this.pipe = createWriteStream(path, { highWaterMark: 1 << 18 });
  }

  /** Rows a second from now on; Infinity = as many as are taken. */
  async pace(rate: number): Promise<void> {
    await this.pause();
    this.stopped = false;
    this.writing = this.write(rate);
  }

  async pause(): Promise<void> {
    this.stopped = true;
    await this.writing;
  }

  async end(): Promise<void> {
    await this.pause();
    this.pipe.end();
    await once(this.pipe, "close");
  }

  private async write(rate: number): Promise<void> {
    let last = performance.now();
    let due = 0;
    while (!this.stopped) {
      const now = performance.now();
      // What was not taken in time is not made up for: the rate is an upper bound.
      due = Math.min(due + ((now - last) / 1000) * rate, Math.max(rate / 4, AT_ONCE));
      last = now;
      for (; due >= 1 && !this.stopped; due -= Math.min(due, AT_ONCE)) {
        const count = Math.min(Math.floor(due), AT_ONCE);
        let text = "";
        for (let i = 0; i < count; i++) text += `${rowText(this.rows + i)}\n`;
        this.rows += count;
        if (!this.pipe.write(text)) await once(this.pipe, "drain");
      }
      if (Number.isFinite(rate)) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
  }
}

/** Counts how often each row comes out of a named pipe. */
export class RowReader {
  /** Different rows. */
  rows = 0;
  twice = 0;
  foreign = 0;
  private seen = new Uint8Array(1 << 20);

  constructor(path: string) {
    let rest = "";
    createReadStream(path, { encoding: "utf8", highWaterMark: 1 << 18 }).on("data", (text) => {
      const lines = (rest + String(text)).split("\n");
      rest = lines.pop()!;
      for (const line of lines) this.take(line);
    });
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
