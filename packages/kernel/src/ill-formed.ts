import { isUtf8 } from "node:buffer";
import { type Ranges, rangeAt } from "./ranges.ts";

const NONE: ReadonlySet<number> = new Set();

/** Which ranges are not well-formed UTF-8. One look at the whole span when, as nearly always, there are none. */
export function illFormed(ranges: Ranges): ReadonlySet<number> {
  const { bytes, starts, ends, count } = ranges;
  if (count === 0) return NONE;
  if ((standInLine(ranges) || cutsNoCharacter(ranges)) && isUtf8(bytes.subarray(starts[0]!, ends[count - 1]!)))
    return NONE;
  const bad = new Set<number>();
  for (let i = 0; i < count; i++) if (!isUtf8(rangeAt(ranges, i))) bad.add(i);
  return bad;
}

/** Between two ranges stands their ASCII terminator alone, so that no character reaches from one into another. */
function standInLine({ starts, ends, count, terminator }: Ranges): boolean {
  if (!terminator?.every((byte) => byte < 0x80)) return false;
  for (let i = 1; i < count; i++) if (starts[i] !== ends[i - 1]! + terminator.length) return false;
  return terminator.length > 0;
}

/** The ranges ascend, and none begins or ends at a continuation byte: the span tells about each of them. */
function cutsNoCharacter({ bytes, starts, ends, count }: Ranges): boolean {
  let behind = 0;
  for (let i = 0; i < count; i++) {
    const start = starts[i]!;
    const end = ends[i]!;
    if (start < behind || end < start) return false;
    if ((bytes[start]! & 0xc0) === 0x80 || (bytes[end]! & 0xc0) === 0x80) return false;
    behind = end;
  }
  return true;
}
