import { type IndexedText, indexLines, isText, type Place, type SourceText } from "./place.ts";
import type { DocumentProblem, Excerpt } from "./problem.ts";

/** A part of a text that is not shown. */
export interface Range {
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
}

const SECRET = "…";
/** Of a longer line, only so much is shown on either side of the place. */
const AROUND = 500;
/** What a line begins with that names something, and so is no value. */
const LEADING_KEY = /^\s*(?:-\s+)*(?:"[^"\n]*"|'[^'\n]*'|[\w.-]+)\s*:(?=\s|$)/;
/** What is neither space nor punctuation of YAML. */
const WORD = /[^\s{}[\],:"'|>$]+/g;

/**
 * Gives each problem the line that it is about. Nothing of `hidden` is in it; of a text that could not be parsed, no value
 * is, since nobody can tell what is secret there. `hidden` is asked once, and only when there is a problem.
 */
export function createExcerpts(hidden: () => readonly Range[]): (problem: DocumentProblem) => DocumentProblem {
  let bySource: ReadonlyMap<string, readonly Range[]> | undefined;
  return (problem) => {
    const { source, line, offset } = problem.at;
    if (!isText(source)) return problem;
    bySource ??= rangesBySource(hidden());
    const { lines } = "lines" in source ? (source as IndexedText) : indexLines(source);
    const start = lines[line - 1]!;
    const whole = source.text.slice(start, lines[line]).replace(/\r?\n$/, "");
    const cut = Math.max(0, offset - start - AROUND);
    const text = whole.slice(cut, offset - start + AROUND);
    const ranges = bySource.get(source.name);
    const parts = ranges ? within(ranges, start + cut, start + cut + text.length) : valuesOf(text, cut === 0);
    const { line: shown, column, length } = excerptOf(text, parts, offset - start - cut);
    const [before, behind] = [cut > 0 ? SECRET : "", cut + text.length < whole.length ? SECRET : ""];
    return { ...problem, excerpt: { line: before + shown + behind, column: column + before.length, length } };
  };
}

function rangesBySource(hidden: readonly Range[]): ReadonlyMap<string, readonly Range[]> {
  const bySource = new Map<string, Range[]>();
  for (const range of hidden) {
    const ranges = bySource.get(range.source.name);
    if (ranges) ranges.push(range);
    else bySource.set(range.source.name, [range]);
  }
  // A value that aliases repeat is there many times.
  const once = (ranges: Range[]): Range[] =>
    ranges
      .sort((a, b) => a.start - b.start || b.end - a.end)
      .filter(({ start }, at) => start !== ranges[at - 1]?.start);
  return new Map([...bySource].map(([name, ranges]) => [name, once(ranges)]));
}

/** Every scalar value of a tree that stands in a text. */
export function textLeaves(root: Place): Range[] {
  const ranges: Range[] = [];
  const open = [root, ...(root.discarded ?? [])];
  for (let place = open.pop(); place; place = open.pop()) {
    if (place.children.size > 0) open.push(...place.children.values());
    else if (place.end !== undefined && isText(place.source))
      ranges.push({ source: place.source, start: place.value, end: place.end });
  }
  return ranges;
}

type Part = readonly [start: number, end: number];

/** All the parts of a line, counted from its start, that ranges (sorted by their start) cover. */
function within(ranges: readonly Range[], start: number, end: number): Part[] {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]!.start < end) low = middle + 1;
    else high = middle;
  }
  const parts: Part[] = [];
  for (let at = low - 1; at >= 0; at--) {
    const range = ranges[at]!;
    if (range.end > start) parts.push([Math.max(0, range.start - start), Math.min(range.end, end) - start]);
    // Values do not overlap, except for those that aliases repeat: what begins before an earlier line's value ends first.
    else if (range.start < start) break;
  }
  return parts.reverse();
}

function valuesOf(line: string, isWhole: boolean): Part[] {
  const key = isWhole ? (LEADING_KEY.exec(line)?.[0].length ?? 0) : 0;
  return [...line.slice(key).matchAll(WORD)].map(({ index, 0: word }) => [key + index, key + index + word.length]);
}

function excerptOf(line: string, hidden: readonly Part[], at: number): Excerpt {
  let shown = "";
  let column = at;
  let length = lengthAt(line, at);
  let from = 0;
  for (const [start, end] of hidden) {
    if (start < from || end <= start) continue;
    shown += line.slice(from, start);
    if (at >= start && at < end) {
      column = shown.length;
      length = SECRET.length;
    } else if (at >= end) column -= end - start - SECRET.length;
    shown += SECRET;
    from = end;
  }
  return { line: shown + line.slice(from), column: Math.max(0, column), length };
}

/** How long the word at a place is: a key, a value, or a sign. */
function lengthAt(line: string, at: number): number {
  const word = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s:,[\]{}#"']+)/.exec(line.slice(at))?.[0];
  return word?.length ?? 1;
}
