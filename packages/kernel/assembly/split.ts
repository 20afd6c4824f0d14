// Records by delimiter, 64 bytes at a time. The twin of src/loops/split.ts.
import { mask } from "./bytes";
import {
  CFG_DELIMITER_LENGTH,
  CFG_FLAGS,
  CFG_IN_BASE,
  CFG_MAX_RECORD,
  CR,
  DELIMITER,
  FLAG_DROP_CR,
  FLAG_SKIP_EMPTY,
  RES_CONSUMED,
  RES_FAULT,
  RES_SHORT,
  RES_STATUS,
  STATUS_INPUT_USED,
  STATUS_MAX_REACHED,
  STATUS_RECORD_TOO_LONG,
  STRIDE,
} from "./layout";

// Where the byte stands in the 64 bytes from p on, one bit each. Most pieces of data have none.
// @ts-ignore: decorator
@inline
function matchesOf(p: usize, byte: v128): u64 {
  const first = i8x16.eq(v128.load(p), byte);
  const second = i8x16.eq(v128.load(p, 16), byte);
  const third = i8x16.eq(v128.load(p, 32), byte);
  const fourth = i8x16.eq(v128.load(p, 48), byte);
  if (!v128.any_true(v128.or(v128.or(first, second), v128.or(third, fourth)))) return 0;
  return (
    <u64>mask(first) | (<u64>mask(second) << 16) | (<u64>mask(third) << 32) | (<u64>mask(fourth) << 48)
  );
}

export function split(inp: usize, inEnd: usize, slot: usize, max: u32): u32 {
  const flags = load<u32>(CFG_FLAGS);
  const dropCr = (flags & FLAG_DROP_CR) != 0;
  const skipEmpty = (flags & FLAG_SKIP_EMPTY) != 0;
  const base: usize = load<u32>(CFG_IN_BASE);
  const maxRecord: usize = load<u32>(CFG_MAX_RECORD);
  const length: usize = load<u32>(CFG_DELIMITER_LENGTH);
  const firsts = i8x16.splat(load<i8>(DELIMITER));
  let n: u32 = 0;
  let start = inp;
  let uneven: u32 = 0;
  let status = STATUS_INPUT_USED;
  let fault: usize = 0;
  // Matches before this address lie within a delimiter that was used.
  let from = inp;
  let block = inp;
  while (block < inEnd) {
    let bits = matchesOf(block, firsts);
    while (bits != 0) {
      const p = block + <usize>ctz(bits);
      bits &= bits - 1;
      if (p >= inEnd) break;
      if (length > 1) {
        if (p < from || p + length > inEnd) continue;
        let i: usize = 1;
        while (i < length && load<u8>(p + i) == load<u8>(DELIMITER + i)) i++;
        if (i < length) continue;
      }
      if (n >= max) {
        status = STATUS_MAX_REACHED;
        break;
      }
      if (p - start > maxRecord) {
        status = STATUS_RECORD_TOO_LONG;
        fault = p - inp;
        break;
      }
      let end = p;
      if (dropCr && end > start && <u32>load<u8>(end - 1) == CR) {
        end--;
        uneven = 1;
      }
      if (skipEmpty && end == start) uneven = 1;
      else {
        store<u32>(slot, <u32>(start - base));
        store<u32>(slot + STRIDE, <u32>(end - base));
        slot += 4;
        n++;
      }
      start = p + length;
      from = start;
    }
    if (status != STATUS_INPUT_USED) break;
    block += 64;
  }
  store<u32>(RES_CONSUMED, <u32>(start - inp));
  store<u32>(RES_STATUS, status);
  store<u32>(RES_SHORT, uneven);
  store<u32>(RES_FAULT, <u32>fault);
  return n;
}
