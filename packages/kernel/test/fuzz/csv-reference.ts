import { uniqueNames } from "../../src/csv-header.ts";

/** The dialect and options of one fuzzed input, as characters. */
export interface ReferenceCsv {
  readonly separator: string;
  readonly quote: string | undefined;
  readonly escape: string | undefined;
  readonly delimiter: string;
  readonly header: boolean;
  readonly columns: readonly string[] | undefined;
  readonly short: "empty" | "omit";
  readonly maxField: number;
  readonly maxRecord: number;
}

export interface ReferenceRecord {
  readonly json: string;
  /** Byte offsets of the record and of what follows its delimiter. */
  readonly start: number;
  readonly after: number;
  readonly fields: number;
  readonly raw: Buffer;
  /** LF bytes before the record, plus 1. */
  readonly line: number;
}

export interface ReferenceResult {
  readonly columns: readonly string[] | undefined;
  readonly records: readonly ReferenceRecord[];
  /** Where a quote was opened that is never closed. */
  readonly openQuote: number | undefined;
  /** The first record that passes a limit; those after it are not read. */
  readonly tooLong:
    | {
        readonly start: number;
        readonly fields: readonly number[];
        readonly record: boolean;
        readonly open: number | undefined;
      }
    | undefined;
}

/**
 * CSV the slow way: characters, strings and JSON.stringify. Written from the rules, sharing nothing with the loops but the
 * naming of duplicate columns.
 */
export function referenceCsv(bytes: Buffer, options: ReferenceCsv): ReferenceResult {
  // One character a byte, so that positions are offsets.
  const text = bytes.toString("latin1");
  const rows: { start: number; end: number; after: number }[] = [];
  let tooLong: ReferenceResult["tooLong"];
  let at = text.startsWith("\xef\xbb\xbf") ? 3 : 0;
  let openQuote: number | undefined;
  while (at < text.length) {
    const row = rowAt(text, at, options);
    const fields = row.fields.filter((start, i) => (row.fields[i + 1] ?? row.end + 1) - 1 - start > options.maxField);
    const record = row.end - at > options.maxRecord;
    if (fields.length > 0 || record) {
      tooLong = { start: at, fields, record, open: row.openQuote };
      break;
    }
    if (row.openQuote !== undefined) {
      openQuote = row.openQuote;
      break;
    }
    if (row.end > at) rows.push({ start: at, end: row.end, after: row.after });
    at = row.after;
  }
  let columns = options.columns;
  if (options.header) {
    const header = rows.shift();
    if (header === undefined) return { columns, records: [], openQuote, tooLong };
    columns ??= uniqueNames(fieldsOf(bytes.subarray(header.start, header.end).toString("utf8"), options));
  }
  const records = rows.map(({ start, end, after }) => {
    const raw = bytes.subarray(start, end);
    const fields = fieldsOf(raw.toString("utf8"), options);
    const members = columns!
      .map((name, index) => [name, fields[index] ?? (options.short === "empty" ? "" : undefined)] as const)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
    const line = text.slice(0, start).split("\n").length;
    return { json: `{${members.join(",")}}`, start, after, fields: fields.length, raw, line };
  });
  return { columns, records, openQuote, tooLong };
}

function rowAt(text: string, start: number, options: ReferenceCsv) {
  const { separator, quote, escape: escapeChar, delimiter } = options;
  let at = start;
  let fieldStart = true;
  const fields = [start];
  while (at < text.length) {
    const c = text[at]!;
    if (fieldStart && c === quote) {
      const open = at++;
      for (;;) {
        if (at >= text.length) return { openQuote: open, end: at, after: at, fields };
        if (text[at] === escapeChar) at += 2;
        else if (text[at] !== quote) at++;
        else if (text[at + 1] === quote) at += 2;
        else break;
      }
      at++;
      fieldStart = false;
    } else if (text.startsWith(delimiter, at)) {
      const dropped = delimiter === "\n" && at > start && text[at - 1] === "\r" ? 1 : 0;
      return { end: at - dropped, after: at + delimiter.length, fields };
    } else {
      fieldStart = c === separator;
      at++;
      if (fieldStart) fields.push(at);
    }
  }
  const dropped = delimiter === "\n" && at > start && text[at - 1] === "\r" ? 1 : 0;
  return { end: at - dropped, after: at, fields };
}

function fieldsOf(row: string, options: ReferenceCsv): string[] {
  const { separator, quote, escape: escapeChar } = options;
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    let field = "";
    if (at < row.length && row[at] === quote) {
      at++;
      while (row[at] !== quote || row[at + 1] === quote) {
        if (row[at] === escapeChar || row[at] === quote) at++;
        field += row[at++];
      }
      at++;
    }
    while (at < row.length && row[at] !== separator) field += row[at++];
    fields.push(field);
    if (at >= row.length) return fields;
    at++;
  }
}
