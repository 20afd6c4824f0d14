import { StreamFault } from "../decode/fault.ts";
import { NULL_VALUE, TEXT } from "../decode/row-writer.ts";

const [TAB, NEWLINE, BACKSLASH, NULL_SIGN] = [9, 10, 92, 78];
/** What a letter behind a backslash stands for, as COPY writes it. */
const LETTERS: ReadonlyMap<number, number> = new Map([
  [98, 8],
  [102, 12],
  [110, 10],
  [114, 13],
  [116, 9],
  [118, 11],
]);

/** Reads the text format of COPY: `next` goes from row to row, whose values then lie in `bytes` as `tuple` says. */
export class CopyText {
  /** Kind, from, to of each value. */
  readonly tuple: number[] = [];
  bytes: Buffer = EMPTY;
  /** Behind the last value. */
  end = 0;
  private readonly columns: number;
  private chunk: Buffer = EMPTY;
  private at = 0;
  private rest: Buffer[] = [];

  constructor(columns: number) {
    this.columns = columns;
  }

  push(chunk: Buffer): void {
    if (chunk.indexOf(NEWLINE) < 0) {
      this.rest.push(chunk);
      return;
    }
    this.chunk = this.rest.length > 0 ? Buffer.concat([...this.rest, chunk]) : chunk;
    this.rest = [];
    this.at = 0;
  }

  next(): boolean {
    const { chunk, at } = this;
    const end = chunk.indexOf(NEWLINE, at);
    if (end < 0) {
      if (at < chunk.length) this.rest.push(chunk.subarray(at));
      this.chunk = EMPTY;
      this.at = 0;
      return false;
    }
    this.at = end + 1;
    this.read(chunk, at, end);
    return true;
  }

  private read(chunk: Buffer, from: number, to: number): void {
    const { tuple } = this;
    const first = chunk.indexOf(BACKSLASH, from);
    if (first < 0 || first >= to) this.readPlain(chunk, from, to);
    else this.readEscaped(chunk, from, to);
    if (tuple.length !== 3 * this.columns) throw new StreamFault("a row of another number of columns");
  }

  private readPlain(chunk: Buffer, from: number, to: number): void {
    this.bytes = chunk;
    this.end = to;
    this.tuple.length = 0;
    for (let start = from, i = from; i <= to; i++) {
      if (i < to && chunk[i] !== TAB) continue;
      this.tuple.push(TEXT, start, i);
      start = i + 1;
    }
  }

  private readEscaped(chunk: Buffer, from: number, to: number): void {
    const out = Buffer.allocUnsafe(to - from + 1);
    let size = 0;
    let start = 0;
    let isNull = false;
    this.tuple.length = 0;
    for (let i = from; i <= to; i++) {
      const byte = i < to ? chunk[i]! : TAB;
      if (byte === TAB) {
        this.tuple.push(isNull ? NULL_VALUE : TEXT, start, size);
        start = size;
        isNull = false;
      } else if (byte !== BACKSLASH) {
        out[size++] = byte;
      } else {
        const letter = chunk[++i]!;
        if (letter === NULL_SIGN) isNull = true;
        else out[size++] = LETTERS.get(letter) ?? letter;
      }
    }
    this.bytes = out;
    this.end = size;
  }
}

const EMPTY = Buffer.alloc(0);
