/** A key as a text that every database keeps: NUL, which PostgreSQL does not, is written as `\0`, and a backslash twice. */
export function encodeKey(key: string): string {
  return key.replace(/[\\\u0000]/g, (char) => (char === "\\" ? "\\\\" : "\\0"));
}

export function decodeKey(text: string): string {
  return text.replace(/\\([\\0])/g, (_, char: string) => (char === "0" ? "\u0000" : "\\"));
}
