export type BomEncoding = "utf-8" | "utf-16le" | "utf-16be";

/**
 * The encoding that a byte-order mark at `bytes[start]` names, or `undefined` when there is none. `FF FE 00 00` (also
 * UTF-32LE) counts as UTF-16LE: neither can be read as UTF-8.
 */
export function detectBom(bytes: Uint8Array, start = 0): BomEncoding | undefined {
  const first = bytes[start];
  const second = bytes[start + 1];
  if (first === 0xef && second === 0xbb && bytes[start + 2] === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return undefined;
}
