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

/** A delimiter as people read it: `"\n"`, `0x00`. */
export function describeDelimiter(bytes: Uint8Array): string {
  const printable = bytes.every((byte) => (byte >= 32 && byte < 127) || byte === 10 || byte === 13 || byte === 9);
  return printable ? JSON.stringify(Buffer.from(bytes).toString()) : `0x${Buffer.from(bytes).toString("hex")}`;
}
