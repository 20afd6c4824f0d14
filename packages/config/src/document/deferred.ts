import { substitute } from "./substitute.ts";

/** Private use characters stand around the number of a reference that was taken out of the text. */
const OPEN = "\uE000";
const CLOSE = "\uE001";
const STANDIN = /\uE000(\d+)\uE001/g;
const REFERENCE = /\$\$|\$\{[A-Za-z_]\w*(?::-[^}\n]*)?\}/g;

/**
 * A text whose `${…}` references were replaced by words that YAML takes anywhere, so that a reference written without
 * quotes inside `{ … }` can be parsed. They are put back after parsing; no value can change the structure.
 */
export interface DeferredText {
  readonly text: string;
  /** Puts the references back, as they were written. */
  restore(scalar: string): string;
  /** The offset in the original text. */
  origin(offset: number): number;
}

/** Defers every reference that `lookup` knows or that has a default; the others stay in the text. */
export function deferReferences(text: string, lookup: (name: string) => string | undefined): DeferredText {
  const references: string[] = [];
  const moves: { readonly at: number; readonly shift: number }[] = [];
  let shift = 0;
  const replaced = (written: string, at: number): string => {
    if (written === "$$" || substitute(written, lookup).unknown.length > 0) return written;
    const standin = `${OPEN}${references.length}${CLOSE}`;
    references.push(written);
    shift += written.length - standin.length;
    moves.push({ at: at + written.length - shift, shift });
    return standin;
  };
  // A reference ends on its line. Behind the last brace of a line its end would be looked for from each one that begins.
  let from = 0;
  const lines = text.split("\n").map((line) => {
    const end = line.lastIndexOf("}") + 1;
    const head = line.slice(0, end).replace(REFERENCE, (written: string, at: number) => replaced(written, from + at));
    from += line.length + 1;
    return head + line.slice(end);
  });
  return {
    text: lines.join("\n"),
    restore: (scalar) => scalar.replace(STANDIN, (written, index) => references[Number(index)] ?? written),
    origin: (offset) => offset + (lastUpTo(moves, offset)?.shift ?? 0),
  };
}

/** The last of the moves (sorted by where they are) that is not behind an offset. It is asked for with every value. */
function lastUpTo<Move extends { readonly at: number }>(moves: readonly Move[], offset: number): Move | undefined {
  let low = 0;
  let high = moves.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (moves[middle]!.at <= offset) low = middle + 1;
    else high = middle;
  }
  return moves[low - 1];
}
