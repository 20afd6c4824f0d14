import { asBuffer } from "@mqb/core/plugin";

const BACKSLASH = 0x5c;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/;
/** Longer texts are read in one piece only when they are numbers. */
const USUAL = 64;

/**
 * The text of a string value: `start` is its opening quote, `end` behind the closing one, as a finder or a scan gave
 * them. An escaped lone surrogate stays one.
 */
export function readString(bytes: Uint8Array, start: number, end: number): string {
  const buffer = asBuffer(bytes);
  let ascii = true;
  for (let at = start + 1; at < end - 1; at++) {
    const byte = bytes[at]!;
    if (byte === BACKSLASH) return JSON.parse(buffer.toString("utf8", start, end)) as string;
    if (byte > 0x7f) ascii = false;
  }
  return buffer.toString(ascii ? "latin1" : "utf8", start + 1, end - 1);
}

/** The double that a number value stands for. */
export function readNumber(bytes: Uint8Array, start: number, end: number): number {
  // Most numbers of payloads are short and whole.
  if (end - start <= 9) {
    let value = 0;
    for (let at = start; ; at++) {
      if (at === end) return value;
      const digit = bytes[at]! - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
  }
  return Number(asBuffer(bytes).toString("latin1", start, end));
}

/** A number value as it is written. */
export function numberText(bytes: Uint8Array, start: number, end: number): string {
  return asBuffer(bytes).toString("latin1", start, end);
}

/** The number that begins at `at`, as written; undefined when none does. */
export function readNumberText(bytes: Uint8Array, at: number, end: number): string | undefined {
  const buffer = asBuffer(bytes);
  const near = Math.min(at + USUAL, end);
  const text = NUMBER.exec(buffer.toString("latin1", at, near))?.[0];
  if (text === undefined || at + text.length < near - 2 || near === end) return text;
  let stop = near;
  while (stop < end && isNumberByte(bytes[stop]!)) stop++;
  return NUMBER.exec(buffer.toString("latin1", at, stop))?.[0];
}

function isNumberByte(byte: number): boolean {
  return (byte >= 48 && byte <= 57) || byte === 46 || byte === 43 || byte === 45 || (byte | 32) === 101;
}
