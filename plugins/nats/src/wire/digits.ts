const MOST_DIGITS = 15;

/** The number in some ASCII digits; -1 when they are none, or too many for a number. */
export function digits(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  if (to <= from || to - from > MOST_DIGITS) return -1;
  for (let i = from; i < to; i++) {
    const digit = bytes[i]! - 48;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}
