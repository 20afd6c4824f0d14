/** The dialect and options of one fuzzed encoder, as characters. */
export interface ReferenceRows {
  readonly columns: readonly string[];
  readonly separator: string;
  readonly quote: string | undefined;
  readonly delimiter: string;
  readonly nested: "flatten" | "json";
  readonly mismatch: "write" | "refuse";
}

interface Member {
  readonly path: string;
  readonly depth: number;
  /** The value as it is written. */
  readonly text: string;
}

/** One object as a row without its delimiter, or why not, the slow way: recursion over characters, JSON.parse to check. */
export function referenceRow(text: string, options: ReferenceRows): { row: string } | { reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { reason: /^[ \n\r\t]*\{/.test(text) ? "not_json" : "not_object" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { reason: "not_object" };
  if (Object.keys(value).length === 0) return { reason: "empty_object" };
  const known = new Set(options.columns);
  const members: Member[] = [];
  collect(text, skip(text, 0), "", 0);
  if (members.some((member) => /\p{Surrogate}/u.test(member.path))) return { reason: "lone_surrogate" };
  const unknown = members.filter((member) => !known.has(member.path));
  const cells = options.columns.map((column) => {
    const of = members.filter((member) => member.path === column);
    const least = Math.min(...of.map((member) => member.depth));
    return of.filter((member) => member.depth === least).at(-1)?.text;
  });
  if (options.mismatch === "refuse") {
    if (unknown.length > 0) return { reason: "unknown_key" };
    if (cells.includes(undefined)) return { reason: "missing_column" };
  }
  const fields: string[] = [];
  for (const cell of cells) {
    const field = cell?.startsWith('"') ? (JSON.parse(cell) as string) : (cell ?? "");
    if (/\p{Surrogate}/u.test(field)) return { reason: "lone_surrogate" };
    const special = needsQuote(field, options);
    if (special && options.quote === undefined) return { reason: "unquotable" };
    fields.push(
      special
        ? options.quote + field.replaceAll(options.quote!, options.quote! + options.quote!) + options.quote
        : field,
    );
  }
  if (fields.length === 1 && fields[0] === "" && options.quote !== undefined)
    return { row: options.quote + options.quote };
  return { row: fields.join(options.separator) };

  function collect(json: string, open: number, prefix: string, depth: number): void {
    let at = skip(json, open + 1);
    while (json[at] !== "}") {
      const close = valueEnd(json, at);
      const path = prefix + (JSON.parse(json.slice(at, close)) as string);
      at = skip(json, skip(json, close) + 1);
      const end = valueEnd(json, at);
      const inner = json.slice(at, end);
      if (
        inner.startsWith("{") &&
        skip(inner, 1) < inner.length - 1 &&
        options.nested === "flatten" &&
        !known.has(path)
      ) {
        collect(json, at, `${path}.`, depth + 1);
      } else members.push({ path, depth, text: inner });
      at = skip(json, end);
      if (json[at] === ",") at = skip(json, at + 1);
    }
  }
}

function needsQuote(field: string, { separator, quote, delimiter }: ReferenceRows): boolean {
  if (/[\r\n]/.test(field) || field.includes(separator)) return true;
  if (quote !== undefined && field.includes(quote)) return true;
  if (/^[\r\n]+$/.test(delimiter)) return false;
  // The delimiter stands in it, or would together with what follows.
  return field.includes(delimiter) || [...delimiter].some((_, i) => i > 0 && field.endsWith(delimiter.slice(0, i)));
}

function skip(text: string, at: number): number {
  while (" \n\r\t".includes(text[at] ?? "x")) at++;
  return at;
}

/** End of the well-made value that begins at `at`. */
function valueEnd(text: string, at: number): number {
  const first = text[at]!;
  if (first === '"') {
    for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
    return at + 1;
  }
  if (first !== "{" && first !== "[") {
    while (at < text.length && !",]} \n\r\t".includes(text[at]!)) at++;
    return at;
  }
  at = skip(text, at + 1);
  while (text[at] !== "}" && text[at] !== "]") {
    at = skip(text, valueEnd(text, at));
    if (text[at] === "," || text[at] === ":") at = skip(text, at + 1);
  }
  return at + 1;
}
