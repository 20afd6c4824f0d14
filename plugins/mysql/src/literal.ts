import { isAscii, isUtf8 } from "node:buffer";

/** Values stand in statements as literals that mean the same in every `sql_mode` and for every setting of the server. */

/** Nothing in it can end the text, with backslash escapes or without. */
function isSafe(text: string): boolean {
  return !text.includes("'") && !text.includes("\\") && !text.includes("\u0000");
}

/** A text in quotes where that is safe, else in hex. */
export function textLiteral(text: string): string {
  return isSafe(text) ? `'${text}'` : `_utf8mb4 X'${Buffer.from(text).toString("hex")}'`;
}

/** A string of bytes, never a number, which a bare `X'…'` may be. */
export function bytesLiteral(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ascii = isAscii(buffer);
  if (!ascii && !isUtf8(buffer)) return hexLiteral(buffer.toString("hex"));
  const text = buffer.toString(ascii ? "latin1" : "utf8");
  return isSafe(text) ? `_binary '${text}'` : hexLiteral(buffer.toString("hex"));
}

/** `hex` is digits, two for each byte. */
export function hexLiteral(hex: string): string {
  return `_binary X'${hex}'`;
}

/** An identifier, whatever it holds. */
export function quoteName(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}
