import type { PartRange } from "./part-name.ts";

/** Which source positions are already written, per topic and partition. Ranges that touch are merged. */
export class CoveredRanges {
  private readonly sequences = new Map<string, { start: bigint; end: bigint }[]>();

  add(range: PartRange): void {
    const key = keyOf(range);
    const list = this.sequences.get(key) ?? [];
    this.sequences.set(key, list);
    let { start, end } = range;
    const at = lowerBound(list, start - 1n);
    let drop = 0;
    while (at + drop < list.length && list[at + drop]!.start <= end + 1n) {
      const other = list[at + drop]!;
      if (other.start < start) start = other.start;
      if (other.end > end) end = other.end;
      drop++;
    }
    list.splice(at, drop, { start, end });
  }

  has(position: { readonly topic: string; readonly partition: number; readonly value: bigint }): boolean {
    const list = this.sequences.get(keyOf(position));
    if (!list) return false;
    const range = list[lowerBound(list, position.value)];
    return range !== undefined && range.start <= position.value;
  }
}

/** The first range that ends at or behind `value`. */
function lowerBound(list: readonly { end: bigint }[], value: bigint): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]!.end < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function keyOf(of: { readonly topic: string; readonly partition: number }): string {
  return `${of.partition}/${of.topic}`;
}
