import { writeDigits } from "./number-text.ts";

const [HYPHEN, COLON, SPACE, POINT] = [45, 58, 32, 46];

/** How many bytes the part of a second with so many digits takes. */
export function fractionBytes(digits: number): number {
  return (digits + 1) >> 1;
}

/** DATE: three bytes. */
export function writeDate(bytes: Buffer, from: number, out: Buffer, at: number): number {
  const packed = bytes.readUIntLE(from, 3);
  return writeDay(packed >> 9, (packed >> 5) & 15, packed & 31, out, at);
}

/** DATETIME: five bytes, and the fraction. */
export function writeDateTime(bytes: Buffer, from: number, digits: number, out: Buffer, at: number): number {
  const packed = bytes.readUIntBE(from, 5) - 0x80_0000_0000;
  const clock = packed % 0x2_0000;
  const day = Math.floor(packed / 0x2_0000);
  const months = day >> 5;
  let to = writeDay(Math.floor(months / 13), months % 13, day & 31, out, at);
  out[to++] = SPACE;
  to = writeClock(clock >> 12, (clock >> 6) & 63, clock & 63, out, to);
  return writeFraction(bytes, from + 5, digits, out, to);
}

/** TIMESTAMP: seconds since 1970, and the fraction. In UTC. */
export function writeTimestamp(bytes: Buffer, from: number, digits: number, out: Buffer, at: number): number {
  const seconds = bytes.readUInt32BE(from);
  let fraction = 0;
  for (let i = 0; i < fractionBytes(digits); i++) fraction |= bytes[from + 4 + i]!;
  let to: number;
  if (seconds === 0 && fraction === 0) {
    to = writeDay(0, 0, 0, out, at);
    out[to++] = SPACE;
    to = writeClock(0, 0, 0, out, to);
  } else {
    const date = new Date(seconds * 1000);
    to = writeDay(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), out, at);
    out[to++] = SPACE;
    to = writeClock(date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), out, to);
  }
  return writeFraction(bytes, from + 4, digits, out, to);
}

/** TIME: three bytes and the fraction, as one number, less than zero for times before midnight. */
export function writeTime(bytes: Buffer, from: number, digits: number, out: Buffer, at: number): number {
  const size = fractionBytes(digits);
  const unit = 256 ** size;
  let packed = bytes.readUIntBE(from, 3 + size) - 0x80_0000 * unit;
  let to = at;
  if (packed < 0) {
    packed = -packed;
    out[to++] = HYPHEN;
  }
  const clock = Math.floor(packed / unit);
  to = writeClock((clock >> 12) & 0x3ff, (clock >> 6) & 63, clock & 63, out, to);
  if (digits === 0) return to;
  out[to++] = POINT;
  return writePart(packed % unit, digits, out, to);
}

function writeDay(year: number, month: number, day: number, out: Buffer, at: number): number {
  let to = writeDigits(year, 4, out, at);
  out[to++] = HYPHEN;
  to = writeDigits(month, 2, out, to);
  out[to++] = HYPHEN;
  return writeDigits(day, 2, out, to);
}

function writeClock(hour: number, minute: number, second: number, out: Buffer, at: number): number {
  let to = writeDigits(hour, 2, out, at);
  out[to++] = COLON;
  to = writeDigits(minute, 2, out, to);
  out[to++] = COLON;
  return writeDigits(second, 2, out, to);
}

function writeFraction(bytes: Buffer, from: number, digits: number, out: Buffer, at: number): number {
  if (digits === 0) return at;
  out[at] = POINT;
  return writePart(bytes.readUIntBE(from, fractionBytes(digits)), digits, out, at + 1);
}

/** Of an odd number of digits a last one is kept that is always zero. */
function writePart(value: number, digits: number, out: Buffer, at: number): number {
  return writeDigits(digits % 2 === 1 ? Math.floor(value / 10) : value, digits, out, at);
}
