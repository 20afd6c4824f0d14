import { isUtf8 } from "node:buffer";
import { MAX_DEPTH, scanString, scanValue, skipBlank } from "./loops/json-walk.ts";

const NONE: ReadonlySet<string> = new Set();

/**
 * The column names of one JSON object: its keys in the order they are written, each once; with `flatten`, those of a
 * nested object as `a.b` (an empty one counts as a value, and so does one whose name is in `known`). `undefined` when it is not a well-made JSON object with at least one key, or
 * a key holds half a surrogate pair. Slow and plain: for a first record.
 */
export function jsonColumns(
  record: Buffer,
  nested: "flatten" | "json",
  known: ReadonlySet<string> = NONE,
): string[] | undefined {
  const stack = new Uint8Array(MAX_DEPTH);
  const end = record.length;
  const start = skipBlank(record, 0, end);
  const behind = scanValue(record, start, end, stack);
  if (record[start] !== 123 || behind < 0 || skipBlank(record, behind, end) < end || !isUtf8(record)) return undefined;
  const names = new Set<string>();
  const flatten = nested === "flatten";
  const prefixes: string[] = [];
  let prefix = "";
  let p = skipBlank(record, start + 1, end);
  if (record[p] === 125) return undefined;
  // The text is known to be well made from here on.
  for (;;) {
    const close = scanString(record, p + 1, end);
    const name: string = prefix + JSON.parse(record.toString("utf8", p, close + 1));
    if (/\p{Surrogate}/u.test(name)) return undefined;
    p = skipBlank(record, skipBlank(record, close + 1, end) + 1, end);
    const inside = skipBlank(record, p + 1, end);
    if (flatten && record[p] === 123 && record[inside] !== 125 && !known.has(name)) {
      prefixes.push(prefix);
      prefix = `${name}.`;
      p = inside;
      continue;
    }
    names.add(name);
    p = skipBlank(record, scanValue(record, p, end, stack), end);
    while (record[p] === 125) {
      const outer = prefixes.pop();
      if (outer === undefined) return [...names];
      prefix = outer;
      p = skipBlank(record, p + 1, end);
    }
    p = skipBlank(record, p + 1, end);
  }
}
