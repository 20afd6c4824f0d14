import { resolve } from "node:path";
import type { OpenContext } from "@mqb/core/plugin";
import {
  CODEC_SUFFIX,
  type CsvSettings,
  compressionConfig,
  csvConfig,
  csvSettings,
  delimiterConfig,
  encryptionConfig,
  type FormatName,
  formatConfig,
  formatOf,
  openEncryption,
  type Packing,
  parseDelimiter,
  type RecordFormat,
} from "@mqb/formats";
import * as z from "zod";

/** A CSV header is looked for in so many bytes of a file. */
export const HEADER_MAX = 1024 * 1024;

export const DEFAULT_MAX_MESSAGE = 64 * 1024 * 1024;

export const fileConfig = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .meta({
        "x-mqb-file": true,
        description:
          "The file, relative to the working directory. With `name_by: source_position`, the directory of the part files.",
        examples: ["/data/orders.jsonl"],
      }),
    mode: z.enum(["consume", "subscribe", "group_subscribe"]).optional().meta({
      "x-mqb-side": "input",
      description:
        "Source: `consume` (default) reads from the start, `subscribe` what is appended from now on, `group_subscribe` goes on where `group_id` has stopped.",
    }),
    delete: z.boolean().nullish().meta({
      "x-mqb-side": "input",
      description:
        "Source, with `mode: consume` or `subscribe` written out: acknowledged records are cut from the file. Its writers must open the file anew for each write.",
      default: false,
    }),
    group_id: z.string().min(1).nullish().meta({
      "x-mqb-side": "input",
      description: "Source, `group_subscribe`: name of the position, kept in `<path>.<group_id>.offset`.",
    }),
    read_from_tail: z.boolean().nullish().meta({
      "x-mqb-side": "input",
      description: "Source, `group_subscribe`: begin at the end of the file when no position is stored.",
      default: false,
    }),
    name_by: z.enum(["auto", "write_time", "source_position"]).default("auto").meta({
      "x-mqb-side": "output",
      description:
        "Sink: `write_time` (what `auto` means) appends to `path`; `source_position` writes part files named after the positions of their records, so that a repeated batch is recognised.",
    }),
    idempotency: z.boolean().nullish().meta({
      "x-mqb-side": "output",
      description:
        "Sink: old spelling of `name_by`; `true` is `source_position`, `false` `write_time`. `name_by` wins.",
      deprecated: true,
    }),
    delimiter: delimiterConfig,
    format: formatConfig,
    csv: csvConfig.nullish(),
    compression: compressionConfig.meta({ ...compressionConfig.meta(), "x-mqb-suffixes": CODEC_SUFFIX }),
    encryption: encryptionConfig.nullish().meta({ description: "Encryption of the file at rest." }),
    source_metadata: z.boolean().nullish().meta({
      "x-mqb-side": "input",
      description: "Source: give each message its position as `mqb.src.file_path`, `mqb.src.file_record`.",
      default: false,
    }),
    fsync: z.enum(["off", "batch", "periodic"]).nullish().meta({
      "x-mqb-side": "output",
      description:
        "Sink: when written data is forced to the disk: left to the system, before a batch is acknowledged, or every `fsync_interval_ms`.",
      default: "off",
    }),
    fsync_interval_ms: z.int().min(1).max(3_600_000).nullish().meta({
      "x-mqb-side": "output",
      description: "Sink, `fsync: periodic`: milliseconds between two syncs.",
      default: 1000,
    }),
    max_message_bytes: z
      .int()
      .min(1)
      .max(1024 * 1024 * 1024)
      .default(DEFAULT_MAX_MESSAGE)
      .meta({ "x-mqb-side": "input", description: "Source: longest record in bytes, before decoding." }),
    on_oversize: z.enum(["fail", "skip"]).default("fail").meta({
      "x-mqb-side": "input",
      description:
        "Source: a longer record ends the route with its offset, or is passed over and logged with its size. `csv` can only fail.",
    }),
  })
  .meta({ "x-mqb-source": { named: ["path"], alone: ["delete"], apart: ["group_id"] } });

/** A checked configuration. */
export type FileConfig = z.output<typeof fileConfig>;
/** A configuration as written. */
export type FileOptions = z.input<typeof fileConfig>;

export type SourceMode = "consume" | "subscribe" | "group_subscribe";

/** What both sides take from a checked configuration. */
export interface RecordSettings {
  readonly format: RecordFormat;
  readonly delimiter: Buffer;
  readonly csv: CsvSettings;
  readonly packing: Packing;
  /** Records are compressed or encrypted. */
  readonly isPacked: boolean;
}

/** Reads the keys. Throws `config` errors. Once per opening. */
export function recordSettings(config: FileConfig, context: Pick<OpenContext, "service" | "baseDir">): RecordSettings {
  const compression = config.compression === "none" ? undefined : config.compression;
  const cipher = openEncryption(config.encryption, context);
  return {
    format: formatOf(config.format as FormatName),
    delimiter: parseDelimiter(config.delimiter)!,
    // Of another format the block has no effect, whatever stands in it.
    csv: csvSettings(config.format === "csv" ? (config.csv ?? undefined) : undefined),
    packing: { compression, cipher },
    isPacked: compression !== undefined || cipher !== undefined,
  };
}

/** The path from the root; a relative one begins in the bridge's base folder: of the command, the working directory. */
export function pathOf(config: FileConfig, { baseDir }: { readonly baseDir: string }): string {
  return resolve(baseDir, config.path);
}

export function modeOf(config: FileConfig): SourceMode {
  return config.mode ?? "consume";
}

/** Whether acked records are cut from the file. As in the original, only beside a written `mode`. */
export function deletes(config: FileConfig): boolean {
  return config.mode !== undefined && config.delete === true;
}

/** Whether the sink writes part files. */
export function writesParts(config: FileConfig): boolean {
  if (config.name_by !== "auto") return config.name_by === "source_position";
  return config.idempotency === true;
}
