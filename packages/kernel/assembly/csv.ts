// CSV records to JSON lines, 16 bytes at a time. The twin of src/loops/csv.ts, which says what goes in and out.
import { jsonSpecial, mask, writeEscape } from "./bytes";
import {
  CFG_DELIMITER_LENGTH,
  CFG_ESCAPE,
  CFG_FLAGS,
  CFG_IN_BASE,
  CFG_KEY_COUNT,
  CFG_KEYS,
  CFG_MAX_FIELD,
  CFG_MAX_RECORD,
  CFG_OUT_BASE,
  CFG_QUOTE,
  CFG_RAGGED,
  CFG_RAGGED_END,
  CFG_SEPARATOR,
  CR,
  DELIMITER,
  FLAG_DROP_CR,
  FLAG_FILL_SHORT,
  FLAG_LIST_RAGGED,
  LF,
  QUOTE,
  RES_CONSUMED,
  RES_FAULT,
  RES_LINES,
  RES_LONG,
  RES_RAGGED,
  RES_SHORT,
  RES_STATUS,
  RES_WRITTEN,
  STATUS_FIELD_TOO_LONG,
  STATUS_INPUT_USED,
  STATUS_MAX_REACHED,
  STATUS_OUTPUT_FULL,
  STATUS_RECORD_TOO_LONG,
  STATUS_UNTERMINATED_QUOTE,
  STRIDE,
} from "./layout";

// What stopped a field or record.
const RECORD_ENDS: u32 = 1;
const OUTPUT_FULL: u32 = 2;
const QUOTE_OPEN: u32 = 3;
const FIELD_LONG: u32 = 4;

// @ts-ignore: decorator
@inline
function delimited(p: usize, inEnd: usize, length: u32): bool {
  if (p < inEnd && p + length > inEnd) return false;
  for (let i: u32 = 1; i < length; i++) if (load<u8>(p + i) != load<u8>(DELIMITER + i)) return false;
  return true;
}

// Copies a key's piece; up to 15 bytes more are written behind it.
// @ts-ignore: decorator
@inline
function copyKey(key: usize, o: usize): usize {
  const from: usize = load<u32>(key);
  const length: usize = load<u32>(key, 4);
  v128.store(o, v128.load(from));
  if (length > 16) {
    let i: usize = 16;
    do {
      v128.store(o + i, v128.load(from + i));
      i += 16;
    } while (i < length);
  }
  return o + length;
}

// `lines`: the delimiter is LF with an optional CR, and there is no escape byte. Inlined twice, so that the usual dialect
// pays for nothing else.
// @ts-ignore: decorator
@inline
function convert(
  inp: usize,
  inEnd: usize,
  out: usize,
  outLimit: usize,
  slot: usize,
  max: u32,
  final: bool,
  lines: bool,
): u32 {
  const keys: usize = load<u32>(CFG_KEYS);
  const keysEnd = keys + (<usize>load<u32>(CFG_KEY_COUNT) << 3);
  const separator = load<u32>(CFG_SEPARATOR);
  const quote = load<u32>(CFG_QUOTE);
  const escape = lines ? 256 : load<u32>(CFG_ESCAPE);
  const flags = load<u32>(CFG_FLAGS);
  const maxField: usize = load<u32>(CFG_MAX_FIELD);
  const maxRecord: usize = load<u32>(CFG_MAX_RECORD);
  const inBase: usize = load<u32>(CFG_IN_BASE);
  const outBase: usize = load<u32>(CFG_OUT_BASE);
  const length: u32 = lines ? 1 : load<u32>(CFG_DELIMITER_LENGTH);
  const first: u32 = lines ? LF : load<u8>(DELIMITER);
  const dropCr = lines || (flags & FLAG_DROP_CR) != 0;
  const ragged0: usize = load<u32>(CFG_RAGGED);
  const raggedEnd: usize = load<u32>(CFG_RAGGED_END);
  let ragged = ragged0;

  const separators = i8x16.splat(<i8>separator);
  // A quote that there is none of is looked for as LF, which stops the search anyway.
  const quotes = i8x16.splat(quote < 256 ? <i8>quote : 10);
  const escapes = i8x16.splat(escape < 256 ? <i8>escape : 10);
  const firsts = i8x16.splat(<i8>first);

  let delimiterLines: u32 = 0;
  for (let i: u32 = 0; i < length; i++) {
    const c: u32 = lines ? LF : load<u8>(DELIMITER + i);
    store<u8>(inEnd + i, <u8>c);
    if (c == LF) delimiterLines++;
  }
  store<u8>(inEnd + length, 10);

  let p = inp;
  let o = out;
  let n: u32 = 0;
  let status = STATUS_INPUT_USED;
  let short: u32 = 0;
  let long: u32 = 0;
  let lineCount: u32 = 0;
  let recordStart = p;
  let recordOut = o;
  let recordLines: u32 = 0;
  let fault: usize = 0;

  while (true) {
    recordStart = p;
    recordOut = o;
    recordLines = lineCount;
    if (p >= inEnd) break;
    if (n >= max || ragged + 20 > raggedEnd) {
      status = STATUS_MAX_REACHED;
      break;
    }
    let c: u32 = load<u8>(p);
    if (c == first && (lines || delimited(p, inEnd, length))) {
      p += length;
      lineCount += delimiterLines;
      continue;
    }
    if (dropCr && c == CR && <u32>load<u8>(p, 1) == LF) {
      if (p + 1 >= inEnd && !final) break;
      p += 2;
      lineCount++;
      continue;
    }
    let key = keys;
    let fields: u32 = 0;
    let surplus = false;
    let fieldStart = p;
    let stop: u32 = 0;
    let cr: usize = 0;
    while (true) {
      fieldStart = p;
      const fieldOut = o;
      if (o > outLimit) {
        stop = OUTPUT_FULL;
        break;
      }
      fields++;
      if (key < keysEnd) {
        o = copyKey(key, o);
        key += 8;
      } else surplus = true;
      if (<u32>load<u8>(p) == quote) {
        p++;
        while (true) {
          const v = v128.load(p);
          v128.store(o, v);
          let special = v128.or(jsonSpecial(v), i8x16.eq(v, quotes));
          if (!lines) special = v128.or(special, i8x16.eq(v, escapes));
          const bits = mask(special);
          if (bits == 0) {
            p += 16;
            o += 16;
            if (o > outLimit) {
              stop = OUTPUT_FULL;
              break;
            }
            continue;
          }
          const skip = <usize>ctz(bits);
          p += skip;
          o += skip;
          c = load<u8>(p);
          if (c == quote) {
            if (<u32>load<u8>(p, 1) != quote) {
              p++;
              break;
            }
            p++;
          } else if (!lines && c == escape) {
            if (p + 1 >= inEnd) {
              stop = QUOTE_OPEN;
              break;
            }
            c = load<u8>(++p);
          } else if (c == LF && p >= inEnd) {
            stop = QUOTE_OPEN;
            break;
          }
          if (c == QUOTE || c == 92 || c < 32) {
            if (c == LF) lineCount++;
            o = writeEscape(c, o);
          } else store<u8>(o++, <u8>c);
          p++;
          if (o > outLimit) {
            stop = OUTPUT_FULL;
            break;
          }
        }
        if (stop) break;
      }
      while (true) {
        const v = v128.load(p);
        v128.store(o, v);
        let special = v128.or(jsonSpecial(v), i8x16.eq(v, separators));
        if (!lines) special = v128.or(special, i8x16.eq(v, firsts));
        const bits = mask(special);
        if (bits == 0) {
          p += 16;
          o += 16;
          if (o > outLimit) {
            stop = OUTPUT_FULL;
            break;
          }
          continue;
        }
        const skip = <usize>ctz(bits);
        p += skip;
        o += skip;
        c = load<u8>(p);
        if (c == separator) break;
        if (c == first && (lines || delimited(p, inEnd, length))) {
          stop = RECORD_ENDS;
          break;
        }
        if (dropCr && c == CR && <u32>load<u8>(p, 1) == LF) {
          p++;
          cr = 1;
          stop = RECORD_ENDS;
          break;
        }
        if (c == QUOTE || c == 92 || c < 32) {
          if (c == LF) lineCount++;
          o = writeEscape(c, o);
        } else store<u8>(o++, <u8>c);
        p++;
        if (o > outLimit) {
          stop = OUTPUT_FULL;
          break;
        }
      }
      if (stop == OUTPUT_FULL) break;
      if (p - cr - fieldStart > maxField && (p < inEnd || final)) {
        stop = FIELD_LONG;
        break;
      }
      if (surplus) o = fieldOut;
      if (stop) break;
      p++;
    }
    if (stop == OUTPUT_FULL) {
      status = STATUS_OUTPUT_FULL;
      break;
    }
    if (stop != RECORD_ENDS || (p >= inEnd && !final)) {
      // Not whole: wait for more, unless what is there, a part of the delimiter aside, is already too much.
      fault = fieldStart - inp;
      if (stop == FIELD_LONG || p - fieldStart > maxField + length) status = STATUS_FIELD_TOO_LONG;
      else if (p - recordStart > maxRecord + length) status = STATUS_RECORD_TOO_LONG;
      else if (final) status = STATUS_UNTERMINATED_QUOTE;
      break;
    }
    if (p - cr - recordStart > maxRecord) {
      status = STATUS_RECORD_TOO_LONG;
      break;
    }
    if (key != keysEnd && (flags & FLAG_FILL_SHORT) != 0) {
      for (let missing = key; missing < keysEnd && o <= outLimit; missing += 8) o = copyKey(missing, o);
      if (o > outLimit) {
        status = STATUS_OUTPUT_FULL;
        break;
      }
    }
    store<u32>(o, 0x000a7d22); // "} LF
    o += 3;
    if (surplus || key != keysEnd) {
      if (surplus) long++;
      else short++;
      if ((flags & FLAG_LIST_RAGGED) != 0) {
        store<u32>(ragged, n);
        store<u32>(ragged, <u32>(recordStart - inBase), 4);
        store<u32>(ragged, <u32>(p - inBase), 8);
        store<u32>(ragged, fields, 12);
        store<u32>(ragged, recordLines, 16);
        ragged += 20;
      }
    }
    p += length;
    lineCount += delimiterLines;
    store<u32>(slot, <u32>(recordOut - outBase));
    store<u32>(slot + STRIDE, <u32>(o - 1 - outBase));
    store<u32>(slot + 2 * STRIDE, <u32>((p > inEnd ? inEnd : p) - inBase));
    slot += 4;
    n++;
  }
  if (recordStart > inEnd) recordStart = inEnd;
  store<u32>(RES_CONSUMED, <u32>(recordStart - inp));
  store<u32>(RES_WRITTEN, <u32>(recordOut - out));
  store<u32>(RES_STATUS, status);
  store<u32>(RES_SHORT, short);
  store<u32>(RES_LONG, long);
  store<u32>(RES_LINES, recordLines);
  store<u32>(RES_RAGGED, <u32>((ragged - ragged0) / 20));
  store<u32>(RES_FAULT, <u32>fault);
  return n;
}

function convertLines(i: usize, e: usize, o: usize, l: usize, s: usize, m: u32, f: bool): u32 {
  return convert(i, e, o, l, s, m, f, true);
}

function convertAny(i: usize, e: usize, o: usize, l: usize, s: usize, m: u32, f: bool): u32 {
  return convert(i, e, o, l, s, m, f, false);
}

export function csv(inp: usize, inEnd: usize, out: usize, outLimit: usize, slot: usize, max: u32, final: u32): u32 {
  const lines = (load<u32>(CFG_FLAGS) & FLAG_DROP_CR) != 0 && load<u32>(CFG_ESCAPE) == 256;
  return lines
    ? convertLines(inp, inEnd, out, outLimit, slot, max, final != 0)
    : convertAny(inp, inEnd, out, outLimit, slot, max, final != 0);
}
