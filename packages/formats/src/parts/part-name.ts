import { CODEC_SUFFIX } from "../codec/codec.ts";
import type { Packing } from "../codec/packing.ts";
import { pad } from "./position.ts";

/** A contiguous run of source positions: what one part holds. Both ends belong to it. */
export interface PartRange {
  readonly topic: string;
  readonly partition: number;
  readonly start: bigint;
  readonly end: bigint;
}

const NAME = /^part-(.+)-(\d{1,10})-(\d{1,20})-(\d{1,20})\.[a-z0-9.]+$/i;

/**
 * The name of a part. Numbers are padded so that names sort as positions do. `extension` without a dot, e.g.
 * `jsonl.gz`.
 */
export function partName(range: PartRange, extension: string): string {
  return `part-${range.topic}-${pad(range.partition, 10)}-${pad(range.start, 20)}-${pad(range.end, 20)}.${extension}`;
}

/** The range that a part's name says it holds; also of older names without padding. Undefined for other names. */
export function parsePartName(name: string): PartRange | undefined {
  const match = NAME.exec(name);
  if (!match) return undefined;
  const range = {
    topic: match[1]!,
    partition: Number(match[2]),
    start: BigInt(match[3]!),
    end: BigInt(match[4]!),
  };
  return range.start <= range.end ? range : undefined;
}

/** The extension of a part: `bin` for raw payloads, else `jsonl`, then that of the codec, then `.enc` when it is encrypted. */
export function partExtension(format: string, { compression, cipher }: Packing): string {
  const records = format === "raw" ? "bin" : "jsonl";
  return `${records}${compression ? CODEC_SUFFIX[compression] : ""}${cipher ? ".enc" : ""}`;
}
