import { CODEC_NAMES } from "@mqb/formats";
import * as z from "zod";

export const MAX_DECOMPRESSED_BYTES = 100 * 1024 * 1024;
export const MAX_RATIO = 1000;

const positive = (error: string) => z.int({ error }).min(1, { error });

/** What a user writes under `compression:`. Types, checks, defaults, the JSON Schema and the reference come from it. */
export const compressionSchema = z
  .strictObject({
    algorithm: z
      .enum(CODEC_NAMES)
      .nullish()
      .meta({ default: "zstd", description: "The codec, the same on both sides; `none` leaves payloads as they are" }),
    max_decompressed_bytes: positive("expected a number of bytes, of at least 1")
      .nullish()
      .meta({
        default: MAX_DECOMPRESSED_BYTES,
        description: "Input: refuse a payload that would become larger than this",
        examples: [67_108_864],
        "x-mqb-side": "input",
      }),
    max_ratio: positive("expected an integer of at least 1").nullish().meta({
      default: MAX_RATIO,
      description:
        "Input: refuse a payload that would become larger than 16 MiB and larger than this many times its compressed size",
      "x-mqb-side": "input",
    }),
    on_error: z.enum(["fail", "drop"]).nullish().meta({
      default: "fail",
      description:
        "Input: a payload that cannot be decompressed, or not within the limits: `fail` stops the route, `drop` drops the message with a warning",
      "x-mqb-side": "input",
    }),
  })
  .meta({
    "x-mqb-order": [
      {
        side: "output",
        others: ["pack"],
        handles: "after",
        otherwise: "each message is compressed alone, which saves less",
        level: "note",
      },
    ],
  });

/** A compression as written. */
export type CompressionConfig = z.input<typeof compressionSchema>;

declare module "@mqb/core/plugin" {
  interface MiddlewareConfigs {
    readonly compression: CompressionConfig;
  }
}
