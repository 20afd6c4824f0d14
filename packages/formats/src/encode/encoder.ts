import type { MessageBatch } from "@mqb/core/plugin";

export interface Refused {
  readonly index: number;
  /** A `permanent` error. */
  readonly error: unknown;
}

/** The records of one batch, ready to be written one chunk after another with nothing between. */
export interface EncodedBatch {
  /** Views of the batch where that saves copying; not to be written to. Empty when every message was refused. */
  readonly chunks: readonly Buffer[];
  /** Messages that have no record in this format, ascending. */
  readonly refused: readonly Refused[];
}

/** Turns batches into the bytes of their records, each followed by the delimiter. */
export interface RecordEncoder {
  encode(batch: MessageBatch): EncodedBatch;
  /** The chunks of a batch have been written and nobody looks at them any more. Not calling it costs memory only. */
  release(chunks: readonly Buffer[]): void;
}

export const NONE_REFUSED: readonly Refused[] = [];
