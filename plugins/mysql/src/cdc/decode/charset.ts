/** How the texts of a character set become UTF-8: as they are, by a table of one character for each byte, or by a rule. */
export type Charset =
  | "utf8"
  | "binary"
  | { readonly table: readonly Buffer[] }
  | { readonly decode: (bytes: Buffer) => string };

const AS_IS = new Set(["utf8", "utf8mb3", "utf8mb4", "ascii"]);

/** Undefined where the server must be asked, if it is one of single bytes. */
export function charsetNamed(name: string): Charset | undefined {
  if (AS_IS.has(name)) return "utf8";
  switch (name) {
    case "binary":
      return "binary";
    case "ucs2":
    case "utf16":
      return { decode: (bytes) => Buffer.from(bytes).swap16().toString("utf16le") };
    case "utf16le":
      return { decode: (bytes) => bytes.toString("utf16le") };
    case "utf32":
      return {
        decode(bytes) {
          let text = "";
          for (let i = 0; i + 4 <= bytes.length; i += 4) text += String.fromCodePoint(bytes.readUInt32BE(i));
          return text;
        },
      };
    default:
      return undefined;
  }
}

/** What the server makes of the bytes 0 to 255, in their order; undefined when it is not one character for each. */
export function singleByteCharset(characters: string): Charset | undefined {
  const table = Array.from(characters, (one) => Buffer.from(one));
  return table.length === 256 ? { table } : undefined;
}

/** Into UTF-8. */
export function toUtf8(charset: Charset, bytes: Buffer): Buffer {
  if (typeof charset === "string") return bytes;
  if ("decode" in charset) return Buffer.from(charset.decode(bytes));
  return Buffer.concat(Array.from(bytes, (byte) => charset.table[byte]!));
}
