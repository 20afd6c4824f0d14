const [ZERO, MINUS, POINT] = [48, 45, 46];
/** Bytes that so many digits take. */
const BYTES_OF = [0, 1, 1, 2, 2, 3, 3, 4, 4, 4];

/** Writes a whole number that is not negative, with at least `width` digits. Gives where it ends. */
export function writeDigits(value: number, width: number, out: Buffer, at: number): number {
  let size = 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) size++;
  const end = at + Math.max(size, width);
  for (let i = end - 1, rest = value; i >= at; i--) {
    const next = Math.floor(rest / 10);
    out[i] = ZERO + (rest - 10 * next);
    rest = next;
  }
  return end;
}

/** The same with a sign where it needs one. */
export function writeWhole(value: number, width: number, out: Buffer, at: number): number {
  if (value >= 0) return writeDigits(value, width, out, at);
  out[at] = MINUS;
  return writeDigits(-value, width, out, at + 1);
}

/** How many bytes a DECIMAL takes. */
export function decimalBytes(precision: number, scale: number): number {
  const whole = precision - scale;
  return 4 * Math.floor(whole / 9) + BYTES_OF[whole % 9]! + 4 * Math.floor(scale / 9) + BYTES_OF[scale % 9]!;
}

/** Writes a DECIMAL with every digit that its column has behind the point. `fill`: with all of those before it, too. */
export function writeDecimal(
  bytes: Buffer,
  from: number,
  precision: number,
  scale: number,
  fill: boolean,
  out: Buffer,
  at: number,
): number {
  const whole = precision - scale;
  // The sign is in the first bit; negative values have all bits turned.
  const isNegative = (bytes[from]! & 0x80) === 0;
  const mask = isNegative ? 0xff : 0;
  let next = from;
  const read = (size: number): number => {
    let value = 0;
    for (let i = 0; i < size; i++, next++) {
      const byte = next === from ? bytes[next]! ^ 0x80 : bytes[next]!;
      value = value * 256 + ((byte ^ mask) & 0xff);
    }
    return value;
  };
  const begin = isNegative ? at + 1 : at;
  if (isNegative) out[at] = MINUS;
  let to = begin;
  const group = (digits: number): void => {
    const value = read(digits === 9 ? 4 : BYTES_OF[digits]!);
    if (fill || to > begin) to = writeDigits(value, digits, out, to);
    else if (value > 0) to = writeDigits(value, 1, out, to);
  };
  if (whole % 9 > 0) group(whole % 9);
  for (let left = Math.floor(whole / 9); left > 0; left--) group(9);
  if (to === begin) out[to++] = ZERO;
  if (scale === 0) return to;
  out[to++] = POINT;
  for (let left = Math.floor(scale / 9); left > 0; left--) to = writeDigits(read(4), 9, out, to);
  const rest = scale % 9;
  return rest > 0 ? writeDigits(read(BYTES_OF[rest]!), rest, out, to) : to;
}
