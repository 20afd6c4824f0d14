import * as z from "zod";
import { FORMAT_NAMES, type FormatName } from "./format.ts";

export const MAX_FIELD_BYTES = 16 * 1024 * 1024;

/** The `csv` block of `file` and `object_store`. */
export const csvConfig = z
  .strictObject({
    separator: z
      .string()
      .nullish()
      .meta({
        description:
          "Field separator: one ASCII character, a name (`tab`, `space`, `comma`, `semicolon`, `pipe`), a hex byte (`0x1f`), or on a source `auto`: the most frequent of `,` `;` tab `|` outside quotes in the first record.",
        default: ",",
        examples: [";", "tab", "0x1f", "auto"],
      }),
    quote: z
      .string()
      .nullish()
      .meta({
        description:
          "Quote character, or `none`: every byte is data then, and a sink refuses a value that it would have to quote.",
        default: '"',
        examples: ["'", "none"],
      }),
    escape: z
      .string()
      .nullish()
      .meta({
        description:
          "Source: character that takes the next one literally inside quotes, as MySQL exports write it; doubled quotes stay understood. Refused on a sink, which quotes by doubling.",
        examples: ["\\"],
      }),
    header: z.boolean().nullish().meta({
      description: "Whether the first record names the columns; on a sink, whether a header is written.",
      default: true,
    }),
    columns: z
      .array(z.string())
      .nullish()
      .meta({
        description:
          "Column names. Source: instead of the header's; needed without a header. Sink: exactly these columns, in this order.",
        examples: [["id", "name"]],
      }),
    nested: z.enum(["flatten", "json"]).default("flatten").meta({
      description:
        "Sink: a nested object becomes one `parent.child` column per leaf, or its JSON text in one cell. Arrays are always JSON text.",
    }),
    on_mismatch: z.enum(["warn", "fail"]).nullish().meta({
      description:
        "Sink: a record whose keys differ from the columns is written with what fits and warned about once, or refused for good.",
      default: "warn",
    }),
    on_ragged: z.enum(["warn", "fail"]).nullish().meta({
      description:
        "Source: a row with too few or too many fields is read as far as it goes and warned about once, or ends the route with its line and offset.",
      default: "warn",
    }),
    max_field_bytes: z
      .int()
      .min(1)
      .max(1024 * 1024 * 1024)
      .default(MAX_FIELD_BYTES)
      .meta({
        description: "Source: a longer field (most likely a quote that is never closed) ends the route with its line.",
      }),
  })
  .meta({
    description:
      "How CSV is written; used with `format: csv` only. Every value is read as text. A sink writes null as `null`, an empty text as nothing.",
  });

export type CsvConfig = z.input<typeof csvConfig>;

/** The `format` field; `parquet` is named in the message, since the original has it for object stores. */
export const formatConfig = z
  .enum(FORMAT_NAMES as [FormatName, ...FormatName[]], {
    error: (issue) =>
      issue.input === "parquet"
        ? "`parquet` is for object_store only"
        : `it must be one of ${FORMAT_NAMES.slice(0, 5).join(", ")}`,
  })
  .default("normal")
  .meta({
    description:
      "How a record stands in the file. `normal`, `json` and `text` keep id and metadata beside the payload (aliases `envelope`, `envelope_json`, `envelope_text`), `raw` is the payload alone (alias `payload`), `csv` a row.",
    "x-mqb-elsewhere": {
      parquet: "`parquet` is for object_store only",
      ndjson: "for plain JSON lines write raw",
      jsonl: "for plain JSON lines write raw",
    },
  });

export const CODEC_NAMES = ["none", "gzip", "lz4", "zstd"] as const;
export type CodecName = Exclude<(typeof CODEC_NAMES)[number], "none">;

export const compressionConfig = z.enum(CODEC_NAMES).default("none").meta({
  description:
    "Codec of the file at rest. A sink writes one member per batch; the file stays readable with `zcat`, `lz4 -d`, `zstdcat`.",
});

export const delimiterConfig = z
  .string()
  .nullish()
  .meta({
    description: "What ends a record: text of 1 to 16 bytes, or one byte as `0xNN`.",
    default: "\n",
    examples: ["\r\n", "|", "0x00"],
  });

const middlewareOnly = (field: string) =>
  z
    .never({ error: `${field} belongs to the encryption middleware only; data at rest has no metadata of its own` })
    .optional()
    .meta({ description: "Refused here: belongs to the encryption middleware." });

/** The at-rest `encryption` block. */
export const encryptionConfig = z.strictObject({
  cipher: z.enum(["xchacha20poly1305", "aes256gcm"]).default("xchacha20poly1305").meta({ description: "AEAD cipher." }),
  key_id: z.string().default("default").meta({
    description: "Name of the key, which is written in clear beside the data: the reader finds the key by it.",
  }),
  key: z.string().meta({
    description:
      "32 bytes in base64, or where they are: `${env:NAME}` names an environment variable, `${file:path}` a file.",
    secret: true,
    "x-mqb-template": true,
  }),
  decrypt_keys: z.record(z.string(), z.string()).nullish().meta({
    description: "More keys for reading, by their name, written like `key`: those that were used before.",
    secret: true,
    "x-mqb-template": true,
  }),
  authenticate_metadata: middlewareOnly("authenticate_metadata"),
  on_error: middlewareOnly("on_error"),
});
