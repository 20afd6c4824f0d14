import type { Logger } from "@mqb/core/plugin";
import type { DecoderOptions } from "@mqb/formats";
import type { FileConfig, RecordSettings } from "../config.ts";

/** How a configuration's records are decoded, and what is said about odd ones. */
export function decoderOptions(
  config: FileConfig,
  settings: RecordSettings,
  context: { readonly log: Logger },
): Omit<DecoderOptions, "offset" | "header"> {
  const { log } = context;
  const { path } = config;
  return {
    format: settings.format,
    delimiter: settings.delimiter,
    csv: settings.csv,
    source: path,
    maxMessageBytes: config.max_message_bytes,
    onOversize: config.on_oversize,
    onForeign: (kind, offset) => {
      const what = kind === "not_json" ? "not JSON" : "JSON but not an envelope (its own metadata is lost)";
      log.warn(`${path}: the record before byte ${offset} is ${what}; its whole text becomes the payload`, { offset });
    },
    onRagged: ({ kind, columns, before }) => {
      const what =
        kind === "short" ? "too few fields; the missing ones are empty" : "too many fields; the extra ones are dropped";
      log.warn(`${path}: a row before byte ${before} has ${what} (${columns} columns; is csv.separator right?)`);
    },
  };
}
