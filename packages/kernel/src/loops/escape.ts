/** For each byte below 0x20, and for `"` and `\`: the letter behind the backslash, or 1 for `\u00XX`. Otherwise 0. */
export const ESCAPES: Uint8Array = makeEscapes();

function makeEscapes(): Uint8Array {
  const table = new Uint8Array(256).fill(1, 0, 32);
  for (const [byte, letter] of [
    [8, "b"],
    [9, "t"],
    [10, "n"],
    [12, "f"],
    [13, "r"],
    [34, '"'],
    [92, "\\"],
  ] as const) {
    table[byte] = letter.charCodeAt(0);
  }
  return table;
}

const HEX = Buffer.from("0123456789abcdef");

/** Writes the JSON escape of `byte` at `o`; returns the position behind it (2 or 6 bytes on). */
export function writeEscape(memory: Uint8Array, o: number, byte: number, letter: number): number {
  memory[o] = 92;
  if (letter !== 1) {
    memory[o + 1] = letter;
    return o + 2;
  }
  memory[o + 1] = 117;
  memory[o + 2] = 48;
  memory[o + 3] = 48;
  memory[o + 4] = HEX[byte >> 4]!;
  memory[o + 5] = HEX[byte & 15]!;
  return o + 6;
}
