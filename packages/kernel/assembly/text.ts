// JSON string content to and from text, 16 bytes at a time. The twin of src/loops/text.ts.
import { escapeEnd, jsonSpecial, mask, readEscape, writeEscape, writeUtf8 } from "./bytes";
import {
  BACKSLASH,
  CFG_AFTER,
  CFG_AFTER_LENGTH,
  CFG_BEFORE,
  CFG_BEFORE_LENGTH,
  CFG_OUT_BASE,
  RES_STATUS,
  RES_WRITTEN,
  STATUS_INPUT_USED,
  STATUS_OUTPUT_FULL,
  STRIDE,
} from "./layout";

export const REFUSED: u32 = 0xffffffff;
// Neither is an address.
const REFUSE: usize = 0;
const FULL: usize = 1;

// Both return the address behind the output, or REFUSE or FULL.
function escape(p: usize, end: usize, o: usize, outLimit: usize): usize {
  while (p < end) {
    const v = v128.load(p);
    v128.store(o, v);
    const bits = mask(jsonSpecial(v));
    let skip: usize = bits == 0 ? 16 : <usize>ctz(bits);
    if (skip > end - p) skip = end - p;
    p += skip;
    o += skip;
    if (o > outLimit) return FULL;
    if (p < end && skip < 16) {
      o = writeEscape(load<u8>(p), o);
      p++;
      if (o > outLimit) return FULL;
    }
  }
  return o;
}

function unescape(p: usize, end: usize, o: usize, outLimit: usize): usize {
  while (p < end) {
    const v = v128.load(p);
    v128.store(o, v);
    const bits = mask(jsonSpecial(v));
    let skip: usize = bits == 0 ? 16 : <usize>ctz(bits);
    if (skip > end - p) skip = end - p;
    p += skip;
    o += skip;
    if (o > outLimit) return FULL;
    if (p < end && skip < 16) {
      if (<u32>load<u8>(p) != BACKSLASH) return REFUSE;
      const code = readEscape(p, end);
      if (code < 0) return REFUSE;
      o = writeUtf8(o, <u32>code);
      p = escapeEnd;
      if (o > outLimit) return FULL;
    }
  }
  return o;
}

// Copies in steps of 16 bytes, so that up to 15 more are written.
function put(p: usize, length: usize, o: usize): usize {
  for (let done: usize = 0; done < length; done += 16) v128.store(o + done, v128.load(p + done));
  return o + length;
}

function copy(p: usize, end: usize, o: usize, outLimit: usize): usize {
  return o + (end - p) > outLimit ? FULL : put(p, end - p, o);
}

export function text(mode: u32, count: u32, slots: usize, out: usize, outLimit: usize): u32 {
  const outBase: usize = load<u32>(CFG_OUT_BASE);
  const before: usize = load<u32>(CFG_BEFORE);
  const beforeLength: usize = load<u32>(CFG_BEFORE_LENGTH);
  const after: usize = load<u32>(CFG_AFTER);
  const afterLength: usize = load<u32>(CFG_AFTER_LENGTH);
  const textLimit = outLimit - afterLength;
  let status = STATUS_INPUT_USED;
  let o = out;
  let i: u32 = 0;
  for (; i < count; i++, slots += 4) {
    const p: usize = load<u32>(slots);
    const end: usize = load<u32>(slots + STRIDE);
    let next = FULL;
    const start = o + beforeLength;
    if (start + afterLength <= outLimit) {
      put(before, beforeLength, o);
      next =
        mode == 0
          ? escape(p, end, start, textLimit)
          : mode == 1
            ? unescape(p, end, start, textLimit)
            : copy(p, end, start, textLimit);
    }
    if (next == FULL) {
      status = STATUS_OUTPUT_FULL;
      break;
    }
    store<u32>(slots + 2 * STRIDE, next == REFUSE ? REFUSED : <u32>(start - outBase));
    store<u32>(slots + 3 * STRIDE, next == REFUSE ? REFUSED : <u32>(next - outBase));
    if (next != REFUSE) o = put(after, afterLength, next);
  }
  store<u32>(RES_WRITTEN, <u32>(o - out));
  store<u32>(RES_STATUS, status);
  return i;
}
