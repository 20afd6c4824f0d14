import type { MessageBatch } from "@mqb/core/plugin";
import type { Frame, FrameWriter } from "./frame-writer.ts";
import { PayloadReader } from "./payload-reader.ts";

const WORD = 4;

/** `benthos_binary`: a count, then each payload behind its length, all numbers in 4 bytes with the highest first. */
export class BenthosWriter implements FrameWriter {
  readonly refusals = undefined;
  private readonly payloads: PayloadReader;

  constructor(batch: MessageBatch) {
    this.payloads = new PayloadReader(batch);
  }

  recordBytes(index: number): number {
    return WORD + this.payloads.length(index);
  }

  metadataBytes(): number {
    return 0;
  }

  sizeOf(frame: Frame): number {
    return WORD + frame.bytes;
  }

  write(frame: Frame, into: Buffer, start: number): number {
    let at = into.writeUInt32BE(frame.count, start);
    for (let index = frame.from; index < frame.to; index++) {
      at = into.writeUInt32BE(this.payloads.length(index), at);
      at = this.payloads.copy(index, into, at);
    }
    return at;
  }
}
