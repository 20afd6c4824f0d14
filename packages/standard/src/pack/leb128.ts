/** Bytes that a number below 2^32 takes as LEB128. */
export function lebBytes(value: number): number {
  let count = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) count++;
  return count;
}

/** Writes a number below 2^32. Returns the end of what was written. */
export function writeLeb(value: number, into: Uint8Array, start: number): number {
  let at = start;
  let rest = value;
  while (rest > 127) {
    into[at++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  into[at++] = rest;
  return at;
}
