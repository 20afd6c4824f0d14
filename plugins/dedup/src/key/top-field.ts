import type { Slab } from "@mqb/core/plugin";
import { FieldFinder, type FieldRanges } from "@mqb/kernel";
import { BytesSearch } from "./bytes-search.ts";

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
  private readonly name: BytesSearch;
  private slab: Slab | undefined;
  /** Where a backslash, which could hide the name, comes up next, known for everything from `searched` on. */
  private escape = 0;
  private searched = 0;

  constructor(name: string) {
    this.finder = new FieldFinder(name);
    this.name = new BytesSearch(Buffer.from(JSON.stringify(name)));
  }

  begin(slab: Slab): void {
    this.slab = slab;
    this.ranges = this.finder.find({ ...slab, count: slab.starts.length });
    this.searched = Number.POSITIVE_INFINITY;
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
    if (this.nextEscape(start) < close || this.name.isIn(bytes, end, close)) return false;
    if (first === QUOTE) {
      start++;
      end--;
    }
    this.start = start;
    this.end = end;
    return true;
  }

  /** Looks at each byte once, as long as payloads lie in ascending order. */
  private nextEscape(from: number): number {
    if (from < this.searched || this.escape < from) {
      const found = this.slab!.bytes.indexOf(BACKSLASH, from);
      this.escape = found < 0 ? Number.POSITIVE_INFINITY : found;
      this.searched = from;
    }
    return this.escape;
  }
}
