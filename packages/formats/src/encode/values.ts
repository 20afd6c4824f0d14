import { isUtf8 } from "node:buffer";
import { compactJson } from "../json/compact.ts";
import { jsonStack, skipSpace, skipValue } from "../json/scan.ts";
import type { Payloads } from "./payloads.ts";

/** Where the value of a message's payload stands, and how it is to be labelled. */
export interface Values extends Payloads {
  /** Stand between quotes, which `bytes` does not hold. */
  readonly quoted: boolean;
  /** Values that need another form: binary payloads, payloads with line breaks. */
  readonly special: ReadonlyMap<number, Special>;
}

export interface Special {
  readonly value: Buffer;
  readonly base64?: boolean;
  /** Written as an array of byte values, with the marker. */
  readonly marked?: boolean;
}

/** JSON payloads as they are; white space goes only around them, and where it would break the line. Others become byte arrays. */
export function jsonValues(payloads: Payloads, terminator: Uint8Array | undefined): Values {
  const { bytes, count } = payloads;
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  const special = new Map<number, Special>();
  const stack = jsonStack();
  const span = bytes.subarray(Math.min(...edges(payloads.starts)), Math.max(...edges(payloads.ends)));
  // A value begins and ends with ASCII, so it is well-formed when the whole span is.
  const wellFormed = isUtf8(span);
  // What ends the records of a file occurs in none of them.
  const oneLine = !span.includes(13) && (terminator?.includes(10) === true || !span.includes(10));
  for (let i = 0; i < count; i++) {
    const limit = payloads.ends[i]!;
    const start = skipSpace(bytes, payloads.starts[i]!, limit);
    const end = skipValue(bytes, start, limit, stack);
    starts[i] = start;
    ends[i] = end;
    if (end < 0 || skipSpace(bytes, end, limit) < limit || !(wellFormed || isUtf8(bytes.subarray(start, end)))) {
      starts[i] = ends[i] = payloads.starts[i]!;
      special.set(i, byteArray(bytes.subarray(payloads.starts[i]!, limit)));
    } else if (!oneLine && hasLineBreak(bytes, start, end))
      special.set(i, { value: compactJson(bytes.subarray(start, end)) });
  }
  return { bytes, starts, ends, count, quoted: false, special };
}

/** Enough of a list of positions to know its bounds: its ends where it ascends, else all of it. */
function edges(positions: Uint32Array): Uint32Array {
  for (let i = 1; i < positions.length; i++) if (positions[i]! < positions[i - 1]!) return positions;
  return Uint32Array.of(positions[0]!, positions[positions.length - 1]!);
}

/** JSON strings hold none, so it stands between tokens. */
function hasLineBreak(bytes: Buffer, start: number, end: number): boolean {
  const value = bytes.subarray(start, end);
  return value.includes(10) || value.includes(13);
}

export function byteArray(bytes: Buffer): Special {
  return { value: Buffer.from(`[${bytes.join(",")}]`), marked: true };
}
