import type { Slab } from "@mqb/core/plugin";
import { FieldFinder, type FieldRanges } from "@mqb/kernel";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSE_OBJECT = 0x7d;
const LOWER_N = 0x6e;

/**
 * The value of one field at the top of JSON objects, for a whole slab at once: ten times as fast as reading every object
 * to its end. It says nothing where the last of two values would count, where there is no plain value, and of what does
 * not end like an object; what lies behind the value is not looked at otherwise.
 */
export class TopField {
  /** The value's bytes after an `at` that was true, without quotes. */
  start = 0;
  end = 0;
  private readonly finder: FieldFinder;
  private ranges: FieldRanges | undefined;
  /** What may give a second value: the name, and an escape that could hide it. */
  private readonly searches: readonly Search[];
  private slab: Slab | undefined;

  constructor(name: string) {
    this.finder = new FieldFinder(name);
    this.searches = [new Search(Buffer.from(JSON.stringify(name))), new Search(Buffer.of(BACKSLASH))];
  }

  begin(slab: Slab): void {
    this.slab = slab;
    this.ranges = this.finder.find({ ...slab, count: slab.starts.length });
    for (const search of this.searches) search.begin(slab.bytes);
  }

  at(index: number): boolean {
    const { bytes, ends } = this.slab!;
    const { starts, ends: behind } = this.ranges!;
    let start = starts[index]!;
    if (start >= FieldFinder.UNDECIDED) return false;
    let end = behind[index]!;
    const close = ends[index]!;
    const first = bytes[start]!;
    if (first === LOWER_N || bytes[close - 1] !== CLOSE_OBJECT) return false;
    for (const search of this.searches) if (search.next(end) < close) return false;
    if (first === QUOTE) {
      start++;
      end--;
      for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return false;
    }
    this.start = start;
    this.end = end;
    return true;
  }
}

/** Where something comes up next; looks at each byte once as long as it is asked in ascending order. */
class Search {
  private readonly what: Buffer;
  private bytes: Buffer;
  private from = 0;
  private found = 0;

  constructor(what: Buffer) {
    this.what = what;
    this.bytes = what;
  }

  begin(bytes: Buffer): void {
    this.bytes = bytes;
    this.from = Number.POSITIVE_INFINITY;
  }

  next(from: number): number {
    if (from < this.from || this.found < from) {
      const found = this.bytes.indexOf(this.what, from);
      this.found = found < 0 ? Number.POSITIVE_INFINITY : found;
      this.from = from;
    }
    return this.found;
  }
}
