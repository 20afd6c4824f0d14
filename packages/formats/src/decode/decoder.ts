import type { MessageBatch } from "@mqb/core/plugin";
import type { OversizeRecord } from "@mqb/kernel";
import type { CsvSettings } from "../csv-dialect.ts";
import type { Foreign } from "../envelope/parse.ts";
import type { RecordFormat } from "../format.ts";

/** Records that were read together. */
export interface DecodedBatch {
  readonly batch: MessageBatch;
  /** Offset in the decoded stream at which reading goes on after the whole batch. */
  readonly offset: number;
  /** The same after message `index`. */
  offsetAfter(index: number): number;
  /** A record that was too long and has been passed over; the batch is empty then. */
  readonly oversize?: OversizeRecord;
  /** Nobody looks at the batch any more: its memory may be used again. Called once at most; not calling it is fine. */
  release?(): void;
}

/**
 * What the source knows of a record beyond its bytes. Called when somebody looks at a message's metadata, with its
 * index in the batch and the offset behind it.
 */
export type Stamp = (index: number, offsetAfter: number, into: Map<string, string>) => void;

/**
 * Turns the chunks of one stream into batches of messages. `feed` a chunk, `take` until `undefined`, `feed` the next or
 * `end`; after `end`, `take` until `undefined`. Batches are handed out up to a fault, then `take` throws it, a
 * `permanent` error that names source and offset. Fed chunks belong to the decoder; it may write to them.
 */
export interface RecordDecoder {
  /** Whether batches are views of the chunks. Otherwise a chunk is free again when `take` has answered `undefined`. */
  readonly keepsChunks: boolean;
  feed(bytes: Buffer, start?: number, end?: number): void;
  end(): void;
  take(max: number, stamp?: Stamp): DecodedBatch | undefined;
  /** Offset of the first byte that no batch has covered. */
  readonly offset: number;
  /** Bytes of an unfinished record that are held back. */
  readonly pending: number;
}

export interface DecoderOptions {
  readonly format: RecordFormat;
  readonly delimiter: Uint8Array;
  readonly csv: CsvSettings;
  /** Names the stream in errors. */
  readonly source: string;
  /** Offset of the first byte that will be fed. A byte-order mark and a CSV header stand at 0 only. */
  readonly offset: number;
  /** What the header said, when a CSV stream is taken up behind it. */
  readonly header?: CsvStreamHeader;
  readonly maxMessageBytes: number;
  readonly onOversize: "fail" | "skip";
  /** A record is no envelope: its whole text becomes the payload. Told once per kind. */
  readonly onForeign?: (kind: Foreign, offset: number) => void;
  /** A CSV row has too few or too many fields. Told once per kind. */
  readonly onRagged?: (row: RaggedReport) => void;
}

export interface CsvStreamHeader {
  readonly columns: readonly string[];
  readonly separator: number;
}

export interface RaggedReport {
  readonly kind: "short" | "long";
  readonly columns: number;
  /** The row stands before this offset, among the rows that were read together. */
  readonly before: number;
}
