const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const SHORT = 15;

/** Whether a JSON number is written as it would be written anew: with up to 15 characters, and no zero that says nothing. */
export function isPlainText(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > SHORT) return false;
  const first = bytes[start] === MINUS ? start + 1 : start;
  let point = -1;
  for (let at = first; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === POINT) point = at;
    else if (byte < ZERO || byte > 57) return false;
  }
  // Minus zero is written without its sign, and what begins with several zeros perhaps with an exponent.
  if (point < 0) return first === start || bytes[first] !== ZERO;
  return bytes[end - 1] !== ZERO && (bytes[first] !== ZERO || bytes[point + 1] !== ZERO);
}
