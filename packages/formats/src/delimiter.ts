/** The default record delimiter. */
export const LINE_FEED = Buffer.from("\n");

/**
 * The bytes of a `delimiter` as configured: text as UTF-8, or one byte as `0xNN`. Undefined stands for LF; an empty
 * text, or one of more than 16 bytes, gives undefined back: nothing could be split by it.
 */
export function parseDelimiter(text: string | null | undefined): Buffer | undefined {
  if (text === undefined || text === null) return LINE_FEED;
  const hex = /^0x([0-9a-f]{2})$/i.exec(text);
  const bytes = hex ? Buffer.from(hex[1]!, "hex") : Buffer.from(text);
  return bytes.length === 0 || bytes.length > 16 ? undefined : bytes;
}

/**
 * Whether a record with the delimiter behind it is cut at another place than its end: it holds the delimiter, or its last
 * bytes and the first of the delimiter make one (`a|` before `||`).
 */
export function cutsElsewhere(record: Uint8Array, delimiter: Buffer): boolean {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.length);
  if (bytes.indexOf(delimiter) >= 0) return true;
  for (let held = 1; held < delimiter.length && held <= bytes.length; held++) {
    const overlaps = delimiter.compare(delimiter, held, delimiter.length, 0, delimiter.length - held) === 0;
    if (overlaps && bytes.compare(delimiter, 0, held, bytes.length - held) === 0) return true;
  }
  return false;
}

/** A delimiter as people read it: `"\n"`, `0x00`. */
export function describeDelimiter(bytes: Uint8Array): string {
  const printable = bytes.every((byte) => (byte >= 32 && byte < 127) || byte === 10 || byte === 13 || byte === 9);
  return printable ? JSON.stringify(Buffer.from(bytes).toString()) : `0x${Buffer.from(bytes).toString("hex")}`;
}
