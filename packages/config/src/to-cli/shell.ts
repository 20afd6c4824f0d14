/** A word of a command line as a POSIX shell reads it back, whatever it holds. */
export function shellQuoted(word: string): string {
  if (/^[A-Za-z0-9_./:=@%+,-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
