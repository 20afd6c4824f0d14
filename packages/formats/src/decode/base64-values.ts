const INVALID = 255;
const PADDING = 61;
const VALUES = new Uint8Array(256).fill(INVALID);
for (const [value, char] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries())
  VALUES[char.charCodeAt(0)] = value;

/** Bytes that base64 of this length becomes at most. */
export function decodedBytes(length: number): number {
  return Math.ceil(length / 4) * 3;
}

/**
 * Decodes the base64 in `bytes[start..end)` into `into`. Returns the end of what was written, or -1 for anything but the one
 * spelling that an encoder gives: padded, no other character, no bit left over.
 */
export function decodeBase64(bytes: Uint8Array, start: number, end: number, into: Uint8Array, to: number): number {
  if ((end - start) % 4 !== 0) return -1;
  if (start === end) return to;
  const padding = bytes[end - 1] !== PADDING ? 0 : bytes[end - 2] !== PADDING ? 1 : 2;
  const whole = padding === 0 ? end : end - 4;
  let at = to;
  let wrong = 0;
  for (let from = start; from < whole; from += 4) {
    const a = VALUES[bytes[from]!]!;
    const b = VALUES[bytes[from + 1]!]!;
    const c = VALUES[bytes[from + 2]!]!;
    const d = VALUES[bytes[from + 3]!]!;
    wrong |= a | b | c | d;
    into[at] = (a << 2) | (b >> 4);
    into[at + 1] = ((b & 15) << 4) | (c >> 2);
    into[at + 2] = ((c & 3) << 6) | d;
    at += 3;
  }
  if (padding > 0) {
    const a = VALUES[bytes[whole]!]!;
    const b = VALUES[bytes[whole + 1]!]!;
    const c = padding === 1 ? VALUES[bytes[whole + 2]!]! : 0;
    wrong |= a | b | c;
    // Bits that no byte is made of.
    if ((padding === 1 ? c & 3 : b & 15) !== 0) return -1;
    into[at++] = (a << 2) | (b >> 4);
    if (padding === 1) into[at++] = ((b & 15) << 4) | (c >> 2);
  }
  return wrong > 63 ? -1 : at;
}
