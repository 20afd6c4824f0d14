import type { Finding, Side } from "@mqb/core/plugin";
import type { CsvDialect } from "@mqb/kernel";
import { type CsvConfig, MAX_FIELD_BYTES } from "./config.ts";
import { parseDelimiter } from "./delimiter.ts";

/** A `csv` block with names and escapes turned into bytes. Valid: `checkCsv` found nothing. */
export interface CsvSettings {
  readonly separator: number | "auto";
  /** Null = quotes mean nothing. */
  readonly quote: number | null;
  readonly escape: number | undefined;
  readonly header: boolean;
  /** Empty = from the header or the first record. */
  readonly columns: readonly string[];
  readonly nested: "flatten" | "json";
  readonly onMismatch: "warn" | "fail";
  readonly onRagged: "warn" | "fail";
  readonly maxFieldBytes: number;
}

const NAMES: Readonly<Record<string, string>> = {
  tab: "\t",
  "\\t": "\t",
  space: " ",
  comma: ",",
  semicolon: ";",
  pipe: "|",
};

/** One byte written as a character, a name or `0x..`; a text about what is wrong with it otherwise. */
function parseByte(text: string): number | string {
  const named = NAMES[text] ?? text;
  const hex = /^0x([0-9a-f]{1,2})$/i.exec(named);
  const byte = hex ? Number.parseInt(hex[1]!, 16) : named.length === 1 ? named.charCodeAt(0) : Number.NaN;
  if (Number.isNaN(byte)) return "is not one character, a name such as tab, or a hex byte such as 0x1f";
  if (byte > 127) return "is not ASCII";
  if (byte === 10 || byte === 13) return "is a line break";
  return byte;
}

/** The settings of a checked block. Throws a RangeError for one that `checkCsv` refuses. */
export function csvSettings(csv: CsvConfig | undefined): CsvSettings {
  const separator = csv?.separator ?? ",";
  const quote = csv?.quote ?? '"';
  return {
    separator: separator === "auto" ? "auto" : byteOf("csv.separator", separator),
    quote: quote === "none" ? null : byteOf("csv.quote", quote),
    escape: csv?.escape == null ? undefined : byteOf("csv.escape", csv.escape),
    header: csv?.header ?? true,
    columns: csv?.columns ?? [],
    nested: csv?.nested ?? "flatten",
    onMismatch: csv?.on_mismatch ?? "warn",
    onRagged: csv?.on_ragged ?? "warn",
    maxFieldBytes: csv?.max_field_bytes ?? MAX_FIELD_BYTES,
  };
}

/** The kernel's dialect of these settings; `auto` must be settled before. */
export function kernelDialect(settings: CsvSettings, delimiter: Uint8Array): CsvDialect {
  return {
    separator: settings.separator === "auto" ? 44 : settings.separator,
    quote: settings.quote,
    delimiter,
    ...(settings.escape === undefined ? {} : { escape: settings.escape }),
  };
}

/** What is wrong with a `csv` block on this side. Paths are those of the owner's configuration. */
export function checkCsv(csv: CsvConfig | undefined, delimiter: string | null | undefined, side: Side): Finding[] {
  const findings: Finding[] = [];
  const refuse = (field: keyof CsvConfig, message: string, hint?: string): void => {
    findings.push({
      level: "error",
      path: ["csv", field],
      code: "MQB_FORMATS_CSV",
      message,
      ...(hint ? { hint } : {}),
    });
  };
  const byte = (field: "separator" | "quote" | "escape", text: string, except?: string): number | undefined => {
    if (text === except) return undefined;
    const parsed = parseByte(text);
    if (typeof parsed === "number") return parsed;
    refuse(field, `csv.${field} ${JSON.stringify(text)} ${parsed}`);
    return undefined;
  };
  const separator = byte("separator", csv?.separator ?? ",", "auto");
  const quote = byte("quote", csv?.quote ?? '"', "none");
  const escaping = csv?.escape == null ? undefined : byte("escape", csv.escape);
  if (separator !== undefined && separator === quote)
    refuse("separator", "csv.separator and csv.quote are the same character");
  if (escaping !== undefined && escaping === separator)
    refuse("escape", "csv.escape and csv.separator are the same character");
  if (escaping !== undefined && csv?.quote === "none")
    refuse("escape", "csv.escape works inside quotes, but csv.quote is none");

  const bytes = parseDelimiter(delimiter);
  for (const [name, value] of [
    ["separator", separator],
    ["quote", quote],
    ["escape", escaping],
  ] as const) {
    if (value === undefined || !bytes?.includes(value)) continue;
    findings.push({
      level: "error",
      path: ["delimiter"],
      code: "MQB_FORMATS_CSV",
      message: `delimiter ${JSON.stringify(delimiter)} contains the character of csv.${name}`,
      hint: "delimiter ends a record; csv.separator stands between fields",
    });
  }

  const columns = csv?.columns ?? [];
  const seen = new Set<string>();
  const twice = columns.find((name) => seen.size === seen.add(name).size);
  if (twice !== undefined) refuse("columns", `csv.columns names "${twice}" twice`);
  const unused = (field: keyof CsvConfig, other: string): void => {
    findings.push({
      level: "warning",
      path: ["csv", field],
      code: "MQB_FORMATS_CSV",
      message: `csv.${field} has no effect here: it is for ${other} only`,
    });
  };
  if (side === "input") {
    if (csv?.on_mismatch === "warn") unused("on_mismatch", "sinks");
    if (csv?.nested === "json") unused("nested", "sinks");
    if (csv?.header === false && columns.length === 0)
      refuse("columns", "csv.header is false, so a source needs csv.columns to name the fields");
    if (csv?.on_mismatch === "fail")
      refuse("on_mismatch", "csv.on_mismatch: fail is for a sink only", "a source has csv.on_ragged: fail");
  } else {
    if (csv?.separator === "auto")
      refuse("separator", "csv.separator: auto is for sources only", "name the separator to write");
    if (csv?.escape != null)
      refuse(
        "escape",
        "csv.escape is for sources only",
        "a sink quotes by doubling; a reader of it needs no csv.escape",
      );
    if (csv?.on_ragged === "warn") unused("on_ragged", "sources");
    if (csv?.max_field_bytes !== undefined && csv.max_field_bytes !== MAX_FIELD_BYTES)
      unused("max_field_bytes", "sources");
    if (csv?.on_ragged === "fail")
      refuse("on_ragged", "csv.on_ragged is for sources only", "a sink has csv.on_mismatch: fail");
  }
  return findings;
}

function byteOf(field: string, text: string): number {
  const parsed = parseByte(text);
  if (typeof parsed === "string") throw new RangeError(`${field} ${JSON.stringify(text)} ${parsed}`);
  return parsed;
}
