import { cutsElsewhere, describeDelimiter } from "../delimiter.ts";
import { formatErrors } from "../errors.ts";
import { skipString } from "../json/scan.ts";

/**
 * Makes a JSON record safe for a delimiter that is not LF: where the delimiter occurs within a string, its first
 * character becomes `\uXXXX`; in JSON syntax nothing can be done. Returns the record, the same one when nothing was to
 * be done. Throws a `permanent` error.
 */
export function guardDelimiter(record: Buffer, delimiter: Buffer): Buffer {
  if (!cutsElsewhere(record, delimiter)) return record;
  const pieces: Buffer[] = [];
  let copied = 0;
  for (let at = 0; at < record.length; ) {
    if (record[at] !== 34) {
      if (startsWith(record, at, delimiter))
        throw formatErrors.DELIMITER_IN_SYNTAX({ delimiter: describeDelimiter(delimiter) });
      at++;
      continue;
    }
    const end = skipString(record, at, record.length);
    const next = record.indexOf(delimiter, at);
    if (next >= 0 && next < end) {
      pieces.push(record.subarray(copied, at), escapeIn(record.subarray(at, end), delimiter));
      copied = end;
    }
    at = end;
  }
  pieces.push(record.subarray(copied));
  const guarded = Buffer.concat(pieces);
  if (cutsElsewhere(guarded, delimiter))
    throw formatErrors.DELIMITER_IN_SYNTAX({ delimiter: describeDelimiter(delimiter) });
  return guarded;
}

/** A JSON string with every character that begins or contains the delimiter's first byte written as `\uXXXX`. */
function escapeIn(json: Buffer, delimiter: Buffer): Buffer {
  const text = JSON.parse(json.toString()) as string;
  let out = "";
  for (const char of text)
    out += Buffer.from(char).includes(delimiter[0]!) ? unicodeEscape(char) : escaped(char, delimiter);
  return Buffer.from(`"${out}"`);
}

function escaped(char: string, delimiter: Buffer): string {
  const json = JSON.stringify(char).slice(1, -1);
  // `\n` written for a line feed holds an `n`.
  return json.length > 1 && Buffer.from(json).includes(delimiter[0]!) ? unicodeEscape(char) : json;
}

function unicodeEscape(char: string): string {
  let out = "";
  for (let i = 0; i < char.length; i++) out += `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`;
  return out;
}

function startsWith(bytes: Buffer, at: number, what: Buffer): boolean {
  for (let i = 0; i < what.length; i++) if (bytes[at + i] !== what[i]) return false;
  return true;
}
