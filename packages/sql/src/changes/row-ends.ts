import type { ChangeChunk, ChangedTable, Rare } from "./chunk.ts";
import type { ChangeLog } from "./log.ts";

const [SQUARE, SQUARE_END, COMMA, NEWLINE] = [91, 93, 44, 10];

/** Puts rows into the books of their chunk, whose payloads were written at its front. */
export class RowEnds {
  /** Of the values of key columns in what was just written: from, to of each; -1 = none. */
  readonly keyRanges: number[] = [];
  private readonly log: ChangeLog;

  constructor(log: ChangeLog) {
    this.log = log;
  }

  /** The payload ends at `end`; `keys` ranges are of this row. */
  finish(chunk: ChangeChunk, table: ChangedTable, operation: number, end: number, ordinal: number, keys: number): void {
    const row = chunk.rows;
    const { bytes: out } = chunk;
    chunk.starts[row] = chunk.front;
    chunk.ends[row] = end;
    out[end] = NEWLINE;
    const size = end + 1 - chunk.front;
    chunk.front = end + 1;
    chunk.operations[row] = operation;
    chunk.relationOf[row] = chunk.numberOf(table);
    chunk.ordinals[row] = ordinal;
    chunk.keyEnds[row] = chunk.back;
    if (keys > 0) chunk.back = this.writeKey(out, chunk.back, keys);
    chunk.keyStarts[row] = chunk.back;
    chunk.rows = row + 1;
    this.log.added(size);
  }

  /** From the back: `[1,"a"]`. Gives where it begins. */
  private writeKey(out: Buffer, back: number, count: number): number {
    const { keyRanges } = this;
    let at = back - 1;
    out[at] = SQUARE_END;
    for (let k = count - 2; k >= 0; k -= 2) {
      const from = keyRanges[k]!;
      if (from < 0) {
        at -= 4;
        out.write("null", at, "latin1");
      } else {
        const to = keyRanges[k + 1]!;
        at -= to - from;
        if (to - from < 64) for (let i = from, j = at; i < to; i++, j++) out[j] = out[i]!;
        else out.copyWithin(at, from, to);
      }
      if (k > 0) out[--at] = COMMA;
    }
    out[--at] = SQUARE;
    return at;
  }
}

/** Of the row that was written last. */
export function rareOf(chunk: ChangeChunk): Rare {
  const rare = (chunk.rare ??= new Map());
  const row = chunk.rows - 1;
  let found = rare.get(row);
  if (!found) rare.set(row, (found = {}));
  return found;
}
