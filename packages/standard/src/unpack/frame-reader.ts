import type { FrameFormat } from "../pack/config.ts";
import { BenthosReader } from "./benthos-reader.ts";
import { MqbReader } from "./mqb-reader.ts";

/**
 * Walks over the records of frames, one frame after another. Throws `permanent` errors that say where a frame is damaged.
 * Believes no number: nothing is looked at, and no memory taken, beyond the bytes that are there.
 */
export interface FrameReader {
  /** Messages that the opened frame says it holds; there are bytes for as many. */
  readonly count: number;
  /** What its records have, as in `pack/layout.ts`. */
  readonly flags: number;
  /** Where the next record begins; behind the last one: where the frame has to end. */
  at: number;
  /** Of the record that was passed last. */
  recordStart: number;
  payloadStart: number;
  payloadEnd: number;
  /** Begins the frame in `bytes[start..end)`. */
  open(bytes: Buffer, start: number, end: number): void;
  next(): void;
}

export function readerFor(format: FrameFormat): FrameReader {
  return format === "mqb" ? new MqbReader() : new BenthosReader();
}
