// One value of a CSV row. Part of rows.ts, whose twin is src/loops/rows.ts.
import { escapeEnd, mask, readEscape, writeUtf8 } from "./bytes";
import { BACKSLASH, CFG_DELIMITER_LENGTH, CFG_QUOTE, CFG_SEPARATOR, CR, DELIMITER, LF, QUOTE } from "./layout";

export const LONE_SURROGATE: u32 = 4;
export const UNQUOTABLE: u32 = 7;
export const NO_BYTE: u32 = 256;
// Neither is an address.
export const REFUSE: usize = 0;
export const FULL: usize = 1;

// Settings of the present call.
export let separator: u32 = 0;
export let quote: u32 = 0;
export let delimiterLength: usize = 0;
export let plainLines = true;
export let outLimit: usize = 0;
// Why a value was refused.
export let valueReason: u32 = 0;

export function setDialect(limit: usize): void {
  separator = load<u32>(CFG_SEPARATOR);
  quote = load<u32>(CFG_QUOTE);
  delimiterLength = load<u32>(CFG_DELIMITER_LENGTH);
  plainLines = true;
  for (let i: usize = 0; i < delimiterLength; i++) {
    const c: u32 = load<u8>(DELIMITER + i);
    if (c != LF && c != CR) plainLines = false;
  }
  outLimit = limit;
}

// Puts a quote before what stands from start to o. The address behind it, or REFUSE when there is no quote byte.
function openQuote(start: usize, o: usize): usize {
  if (quote == NO_BYTE) {
    valueReason = UNQUOTABLE;
    return REFUSE;
  }
  memory.copy(start + 1, start, o - start);
  store<u8>(start, <u8>quote);
  return o + 1;
}

// Whether the delimiter stands in [start, o), or would begin there if it followed at once.
function meetsDelimiter(start: usize, o: usize): bool {
  for (let p = start; p < o; p++) {
    let i: usize = 0;
    while (i < delimiterLength && p + i < o && load<u8>(p + i) == load<u8>(DELIMITER + i)) i++;
    if (i == delimiterLength || p + i == o) return true;
  }
  return false;
}

// Writes one value, quoted when it has to be. The address behind it, or REFUSE or FULL.
export function writeValue(p: usize, end: usize, o: usize): usize {
  const start = o;
  const isText = <u32>load<u8>(p) == QUOTE;
  let quoted = false;
  if (isText) {
    p++;
    end--;
  }
  const separators = i8x16.splat(<i8>separator);
  const quotes = i8x16.splat(quote < 256 ? <i8>quote : 10);
  while (p < end) {
    const v = v128.load(p);
    v128.store(o, v);
    const bits = mask(
      v128.or(
        v128.or(i8x16.eq(v, separators), i8x16.eq(v, quotes)),
        v128.or(
          i8x16.eq(v, i8x16.splat(92)),
          v128.or(i8x16.eq(v, i8x16.splat(10)), i8x16.eq(v, i8x16.splat(13))),
        ),
      ),
    );
    let skip: usize = bits == 0 ? 16 : <usize>ctz(bits);
    if (skip > end - p) skip = end - p;
    p += skip;
    o += skip;
    if (o > outLimit) return FULL;
    if (p >= end) break;
    if (skip == 16) continue;
    let c: u32 = load<u8>(p);
    if (isText && c == BACKSLASH) {
      const code = readEscape(p, end);
      p = escapeEnd;
      if (code < 0) {
        valueReason = LONE_SURROGATE;
        return REFUSE;
      }
      c = <u32>code;
      if (c >= 0x80) {
        o = writeUtf8(o, c);
        if (o > outLimit) return FULL;
        continue;
      }
    } else p++;
    if (c == separator || c == quote || c == LF || c == CR) {
      if (!quoted) {
        o = openQuote(start, o);
        if (o == REFUSE) return REFUSE;
        quoted = true;
      }
      if (c == quote) store<u8>(o++, <u8>c);
    }
    store<u8>(o++, <u8>c);
    if (o > outLimit) return FULL;
  }
  if (!quoted && !plainLines && meetsDelimiter(start, o)) {
    o = openQuote(start, o);
    if (o == REFUSE) return REFUSE;
    quoted = true;
  }
  if (quoted) store<u8>(o++, <u8>quote);
  return o;
}
