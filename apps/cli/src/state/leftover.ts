/** How the writer of such files begins: with a first entry, or with a document that has none. */
const FIRST_ENTRY = '{\n  "';
const EMPTY = "{}";

/**
 * What the text of a file is, in words, when it is no damaged document of positions. What a crash leaves of one is its
 * beginning, zeros, both, or nothing.
 */
export function otherThanPositions(text: string): string | undefined {
  const written = withoutFill(text);
  if (written === "") return undefined;
  if (isJson(text)) return "valid JSON of another shape";
  const [firstLine = ""] = written.split("\n", 1);
  if (firstLine.length < written.length && isJson(firstLine)) return "lines, the first of which is JSON by itself";
  // The writer indents every brace but the last one.
  if (/\n\}\s*[^\s\0]/.test(written)) return "several JSON documents";
  const isOurs = written.startsWith(FIRST_ENTRY) || FIRST_ENTRY.startsWith(written) || written === EMPTY;
  return isOurs ? undefined : "something that does not begin as they do";
}

/** The entries of a damaged document that are whole, as they are written: each is a line of its own. */
export function wholeEntries(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const entry = withoutFill(line).replace(/,$/, "");
    return /^\s*"/.test(entry) && isJson(`{${entry}}`) ? [entry] : [];
  });
}

function withoutFill(text: string): string {
  let end = text.length;
  while (end > 0 && /[\0\s]/.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
