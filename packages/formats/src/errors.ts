import { defineErrors, errorRow } from "@mqb/core/plugin";

/** Where something stands in a file: the path, and the byte offset in it when one is known. */
interface Place {
  readonly source: string;
  readonly offset?: number | undefined;
}

const at = (p: Place): string => (p.offset === undefined ? p.source : `${p.source}, byte ${p.offset}`);

/** Every error that the record formats and codecs report. */
export const formatErrors = defineErrors("MQB_FORMATS", {
  UTF16: errorRow<Place>({
    kind: "permanent",
    message: (p) => `${p.source} is UTF-16, which is not supported`,
    hint: "convert it to UTF-8, e.g. with iconv -f UTF-16 -t UTF-8",
  }),
  UNTERMINATED_QUOTE: errorRow<Place & { line: number | undefined }>({
    kind: "permanent",
    message: (p) => `${at(p)}${inLine(p.line)}: a quoted field begins here and is never closed`,
    hint: "check csv.quote, and the file's end",
  }),
  FIELD_TOO_LONG: errorRow<Place & { line: number | undefined; limit: number; quoted: boolean }>({
    kind: "permanent",
    message: (p) =>
      `${at(p)}${inLine(p.line)}: the ${p.quoted ? "quoted field that opens here" : "field that begins here"} is longer than ${p.limit} bytes`,
    hint: (p) =>
      p.quoted
        ? "is its closing quote missing? Otherwise raise csv.max_field_bytes"
        : "raise csv.max_field_bytes, or check csv.separator",
  }),
  RECORD_TOO_LONG: errorRow<Place & { limit: number }>({
    kind: "permanent",
    message: (p) => `${at(p)}: the record that begins here is longer than ${p.limit} bytes`,
    hint: "raise max_message_bytes, pass over such records with on_oversize: skip, or check the delimiter",
  }),
  RAGGED_ROW: errorRow<Place & { line: number | undefined; fields: number; columns: number }>({
    kind: "permanent",
    message: (p) => `${at(p)}${inLine(p.line)}: the row has ${p.fields} fields, the header ${p.columns}`,
    hint: "correct the row, check csv.separator, or read such rows with csv.on_ragged: warn",
  }),
  WRONG_CODEC: errorRow<{ source: string; codec: string }>({
    kind: "permanent",
    message: (p) => `${p.source} is not ${p.codec} data, as compression: ${p.codec} says`,
    hint: "set compression to what the file was written with",
  }),
  CORRUPT: errorRow<Place & { codec: string; reason: string }>({
    kind: "permanent",
    message: (p) => `${at(p)}: the ${p.codec} data is damaged (${p.reason})`,
  }),
  TRUNCATED: errorRow<Place & { codec: string; missing: string }>({
    kind: "permanent",
    message: (p) => `${at(p)}: the ${p.codec} data ends in the middle of ${p.missing}`,
    hint: "the file was cut off; what stood before has been delivered",
  }),
  WINDOW_TOO_LARGE: errorRow<Place & { bytes: number; limit: number }>({
    kind: "permanent",
    message: (p) => `${at(p)}: the zstd frame asks for a window of ${p.bytes} bytes; at most ${p.limit} are allowed`,
    hint: "compress it again without --long/--ultra",
  }),
  UNFOLDS_TOO_FAR: errorRow<{ codec: string; limit: number }>({
    kind: "permanent",
    message: (p) => `the ${p.codec} data unfolds to more than ${p.limit} bytes`,
    hint: "raise max_decompressed_bytes, if such payloads are expected",
  }),
  RATIO_TOO_HIGH: errorRow<{ codec: string; size: number; ratio: number; free: number }>({
    kind: "permanent",
    message: (p) =>
      `${p.size} bytes of ${p.codec} data unfold to more than ${p.free} bytes and more than ${p.ratio} times their size`,
    hint: "it looks like a decompression bomb; raise max_ratio, if such payloads are expected",
  }),
  COMPRESSED: errorRow<{ source: string; codec: string }>({
    kind: "config",
    message: (p) => `${p.source} holds ${p.codec} data, but no compression is set`,
    hint: (p) => `set compression: ${p.codec}`,
  }),
  SEALED: errorRow<{ source: string }>({
    kind: "config",
    message: (p) => `${p.source} looks encrypted, but no encryption is set`,
    hint: "set encryption with the key that it was written with",
  }),
  NO_ENCRYPTION: errorRow<Record<string, never>>({
    kind: "config",
    message: () => "encryption is set, but no plugin that encrypts is installed",
    hint: "install @mqb/encryption",
  }),
  NO_CODEC: errorRow<{ codec: string; package: string }>({
    kind: "config",
    message: (p) => `compression: ${p.codec} needs ${p.package}, which cannot be loaded here`,
    hint: (p) => `install ${p.package}, or use another codec`,
  }),
  HEADER_UNREADABLE: errorRow<{ source: string; reason: string }>({
    kind: "retryable",
    message: (p) => `the CSV header of ${p.source} cannot be read: ${p.reason}`,
    hint: "rows are appended only below a header that is known",
  }),
  HEADER_DIFFERS: errorRow<{ source: string; found: readonly string[]; wanted: readonly string[] }>({
    kind: "config",
    message: (p) =>
      `csv.columns is [${p.wanted.join(", ")}], but ${p.source} already has the columns [${p.found.join(", ")}]`,
    hint: "write into another file, or take the columns of the file",
  }),
  CSV_NOT_OBJECT: errorRow<{ what: string }>({
    kind: "permanent",
    message: (p) => `a CSV row needs a JSON object with at least one field; this payload is ${p.what}`,
  }),
  CSV_TOO_DEEP: errorRow<Record<string, never>>({
    kind: "permanent",
    message: () =>
      "the payload is nested too deeply for a CSV row, or has a key of more than 4096 bytes (with its parents)",
  }),
  CSV_NO_COLUMN: errorRow<{ keys: readonly string[]; columns: readonly string[] }>({
    kind: "permanent",
    message: (p) =>
      `none of the payload's keys (${some(p.keys)}) is a column (${some(p.columns)}): its row would be empty`,
    hint: "is it the right file, and csv.separator that of its header?",
  }),
  CSV_MISSING_KEYS: errorRow<{ supplied: number; columns: number }>({
    kind: "permanent",
    message: (p) => `the payload supplies ${p.supplied} of ${p.columns} columns (on_mismatch: fail)`,
  }),
  CSV_EXTRA_KEY: errorRow<{ key: string }>({
    kind: "permanent",
    message: (p) => `the payload has the key "${p.key}", which is not a column (on_mismatch: fail)`,
  }),
  CSV_NEEDS_QUOTE: errorRow<{ what: string }>({
    kind: "permanent",
    message: (p) => `${p.what} holds the separator, the delimiter or a line break, and csv.quote is none`,
    hint: "set csv.quote, or another csv.separator",
  }),
  LONE_SURROGATE: errorRow<{ what: string }>({
    kind: "permanent",
    message: (p) => `${p.what} holds half of a surrogate pair, which has no UTF-8 form`,
  }),
  DELIMITER_IN_SYNTAX: errorRow<{ delimiter: string }>({
    kind: "permanent",
    message: (p) =>
      `the delimiter ${p.delimiter} occurs in the JSON syntax of this record, so the record could not be read back`,
    hint: "use a delimiter that JSON does not need, or format: raw",
  }),
  DELIMITER_IN_PAYLOAD: errorRow<{ delimiter: string }>({
    kind: "permanent",
    message: (p) => `the payload holds the delimiter ${p.delimiter}, or its end and the delimiter make an earlier one`,
    hint: "use another delimiter, or a format with envelopes",
  }),
  POSITION_MISSING: errorRow<Record<string, never>>({
    kind: "permanent",
    message: () => "the message carries no source position (mqb.src.*), which name_by: source_position needs",
  }),
});

/** The first few names. */
function some(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name));
  return names.length > 3 ? `${shown.join(", ")}, …` : shown.join(", ");
}

function inLine(line: number | undefined): string {
  return line === undefined ? "" : ` (line ${line})`;
}
