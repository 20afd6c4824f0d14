import type { ByteSink } from "@mqb/core/plugin";

const MICRO = 1_000_000;
const SMALL = 1_000_000_000_000_000;
const SIZE = 24;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/** A place for the digits of one number; whoever writes many has one. */
export function numberScratch(): Uint8Array {
  return new Uint8Array(SIZE);
}

/** Appends a number as JavaScript writes it, the usual ones digit by digit. */
export function writeNumber(value: number, into: ByteSink, digits: Uint8Array): void {
  const size = Math.abs(value);
  const millionths = Math.round(size * MICRO);
  // Of two decimals with up to 15 digits no two are one double, so the one that is found is the shortest.
  if (!(millionths < SMALL) || millionths / MICRO !== size) {
    into.ascii(String(value));
    return;
  }
  let at = SIZE;
  const whole = Math.floor(millionths / MICRO);
  // As small integers, with which the processor computes several times as fast.
  let rest = (millionths - whole * MICRO) | 0;
  if (rest > 0) {
    let places = 6;
    while (rest % 10 === 0) {
      rest = (rest / 10) | 0;
      places--;
    }
    for (; places > 0; places--) {
      digits[--at] = ZERO + (rest % 10);
      rest = (rest / 10) | 0;
    }
    digits[--at] = POINT;
  }
  // Below 10^9, as SMALL says.
  let left = whole | 0;
  do {
    digits[--at] = ZERO + (left % 10);
    left = (left / 10) | 0;
  } while (left > 0);
  if (value < 0) digits[--at] = MINUS;
  into.copy(digits, at, SIZE);
}
