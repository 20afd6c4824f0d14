const MIN_MATCH = 4;

/**
 * Decodes one lz4 block into `out` from `start` on; matches may reach back to `out[0]`. Returns the end of what was
 * written, or -1 when the block is damaged or does not fit.
 */
export function decodeLz4Block(block: Buffer, out: Buffer, start: number): number {
  const inEnd = block.length;
  const outEnd = out.length;
  let from = 0;
  let to = start;
  while (from < inEnd) {
    const token = block[from++]!;
    let literals = token >> 4;
    if (literals === 15) {
      let more: number;
      do {
        if (from >= inEnd) return -1;
        more = block[from++]!;
        literals += more;
      } while (more === 255);
    }
    if (from + literals > inEnd || to + literals > outEnd) return -1;
    if (literals > 32) {
      block.copy(out, to, from, from + literals);
      from += literals;
      to += literals;
    } else {
      for (const end = from + literals; from < end; ) out[to++] = block[from++]!;
    }
    // The last sequence has literals only.
    if (from === inEnd) return to;
    if (from + 2 > inEnd) return -1;
    const distance = block[from]! | (block[from + 1]! << 8);
    from += 2;
    if (distance === 0 || distance > to) return -1;
    let length = (token & 15) + MIN_MATCH;
    if (length === 15 + MIN_MATCH) {
      let more: number;
      do {
        if (from >= inEnd) return -1;
        more = block[from++]!;
        length += more;
      } while (more === 255);
    }
    if (to + length > outEnd) return -1;
    let match = to - distance;
    if (length > 48 && distance >= length) {
      out.copyWithin(to, match, match + length);
      to += length;
    } else {
      for (const end = to + length; to < end; ) out[to++] = out[match++]!;
    }
  }
  return -1;
}
