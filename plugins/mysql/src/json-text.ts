const QUOTE = 0x22;
const HEX = Buffer.from("0123456789abcdef");

/** What stands behind a backslash; 0 = nothing, 1 = the code in hex. */
const ESCAPES = new Uint8Array(256);
ESCAPES.fill(1, 0, 0x20);
for (const [code, letter] of [
  [0x08, "b"],
  [0x09, "t"],
  [0x0a, "n"],
  [0x0c, "f"],
  [0x0d, "r"],
  [QUOTE, '"'],
  [0x5c, "\\"],
] as const) {
  ESCAPES[code] = letter.charCodeAt(0);
}

/** Writes UTF-8 as it stands in a JSON string. Gives where it ends: at most six bytes for one. */
export function writeEscaped(bytes: Buffer, start: number, end: number, out: Buffer, at: number): number {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    const escaped = ESCAPES[byte]!;
    if (escaped === 0) {
      out[at++] = byte;
      continue;
    }
    out[at++] = 0x5c;
    if (escaped !== 1) out[at++] = escaped;
    else {
      out[at++] = 0x75;
      out[at++] = 0x30;
      out[at++] = 0x30;
      out[at++] = HEX[byte >> 4]!;
      out[at++] = HEX[byte & 15]!;
    }
  }
  return at;
}

/** Bytes as two digits each. */
export function writeHex(bytes: Buffer, start: number, end: number, out: Buffer, at: number): number {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    out[at++] = HEX[byte >> 4]!;
    out[at++] = HEX[byte & 15]!;
  }
  return at;
}

/** How many bytes are written with more than themselves. */
export function countEscapes(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let i = start; i < end; i++) if (ESCAPES[bytes[i]!] !== 0) count++;
  return count;
}
