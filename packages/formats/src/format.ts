/** How a record stands in a file. Aliases of the configuration are resolved. */
export type RecordFormat = "normal" | "json" | "text" | "raw" | "csv";

export type FormatName = RecordFormat | "envelope" | "envelope_json" | "envelope_text" | "payload";

/** Every spelling that a configuration may use. */
export const FORMAT_NAMES: readonly FormatName[] = [
  "normal",
  "json",
  "text",
  "raw",
  "csv",
  "envelope",
  "envelope_json",
  "envelope_text",
  "payload",
];

const ALIASES: Readonly<Record<string, RecordFormat>> = {
  envelope: "normal",
  envelope_json: "json",
  envelope_text: "text",
  payload: "raw",
};

/** The format that a spelling stands for. */
export function formatOf(name: FormatName): RecordFormat {
  return ALIASES[name] ?? (name as RecordFormat);
}

/** Whether records keep id and metadata. */
export function isEnvelope(format: RecordFormat): boolean {
  return format === "normal" || format === "json" || format === "text";
}

/** Metadata keys that the formats themselves set and read. */
export const ORIGINAL_FORMAT = "mq_bridge.original_format";
export const PAYLOAD_BYTES = "mq_bridge.payload_bytes";
/** Keys with this prefix are source positions: no sink writes them. */
export const SOURCE_PREFIX = "mqb.src.";
