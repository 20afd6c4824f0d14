import type { DecodedBatch } from "@mqb/formats";
import type { ByteInput } from "./input.ts";

/** A chunk that was given to the decoder. Its buffer goes back once: from then on it may be another's. */
export class FedChunk {
  private readonly bytes: Buffer;
  /** Where it goes when it is free. */
  private readonly from: ByteInput;
  /** The decoder is done with it. */
  private isUsedUp = false;
  /** Batches that may look into it, less those that were released. */
  private lent = 0;
  private isGivenBack = false;

  constructor(bytes: Buffer, from: ByteInput) {
    this.bytes = bytes;
    this.from = from;
  }

  /** A batch that may look into it: both are free when it is released. */
  lend(decoded: DecodedBatch): DecodedBatch {
    this.lent += 1;
    let isReleased = false;
    return {
      ...decoded,
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.lent -= 1;
        this.recycle();
      },
    };
  }

  usedUp(): void {
    this.isUsedUp = true;
    this.recycle();
  }

  private recycle(): void {
    if (!this.isUsedUp || this.lent > 0 || this.isGivenBack) return;
    this.isGivenBack = true;
    this.from.recycle?.(this.bytes);
  }
}
