import type { MessageBatch } from "@mqb/core/plugin";
import { BenthosWriter } from "./benthos-writer.ts";
import type { PackSettings } from "./config.ts";
import { MqbWriter } from "./mqb-writer.ts";

/** Metadata of a packed message: how many lie in it. */
export const COUNT = "mqb.pack.count";

/** A run of messages of the batch; refused ones among them are passed over. */
export interface Frame {
  readonly from: number;
  /** Without this one. */
  to: number;
  count: number;
  /** Bytes of the records, metadata left out. */
  bytes: number;
  /** Bytes of the metadata of those that have some. */
  metadataBytes: number;
  /** Messages that have metadata. */
  withMetadata: number;
}

/** Writes the messages of one batch into frames of one layout. */
export interface FrameWriter {
  /** Messages that cannot be written, by position, each with a `permanent` error. Known from the beginning. */
  readonly refusals: ReadonlyMap<number, unknown> | undefined;
  /** Bytes of a message's record, its metadata left out. */
  recordBytes(index: number): number;
  /** Bytes of its metadata; 0 = it has none, or the layout takes none. */
  metadataBytes(index: number): number;
  sizeOf(frame: Frame): number;
  /** Returns the end of what was written. */
  write(frame: Frame, into: Buffer, at: number): number;
}

export function writerFor(batch: MessageBatch, { format, drop_message_id }: PackSettings): FrameWriter {
  return format === "mqb" ? new MqbWriter(batch, !drop_message_id) : new BenthosWriter(batch);
}
