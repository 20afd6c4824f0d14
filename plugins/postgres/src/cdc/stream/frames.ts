import { StreamFault } from "../decode/fault.ts";

const HEAD = 5;
/** The server makes no message that is larger. */
const MOST = 0x4000_0000 + 1024;

/** Cuts what a server sends into its messages. They are views of the chunks that came, unless one lies in several. */
export class Frames {
  /** Of the message that `next` has found: its kind, and `bytes[start .. end)`. */
  kind = 0;
  bytes: Buffer = EMPTY;
  start = 0;
  end = 0;
  private at = 0;
  private limit = 0;
  /** Chunks behind `bytes`, while a message is not whole. */
  private pieces: Buffer[] = [];
  private waiting = 0;

  /** More bytes. */
  push(chunk: Buffer): void {
    if (this.at === this.limit && this.pieces.length === 0) {
      this.bytes = chunk;
      this.at = 0;
      this.limit = chunk.length;
      return;
    }
    this.pieces.push(chunk);
    this.waiting += chunk.length;
  }

  /** Goes to the next message; false when it is not whole yet. */
  next(): boolean {
    for (;;) {
      const have = this.limit - this.at;
      const size = have >= HEAD ? this.bytes.readUInt32BE(this.at + 1) + 1 : HEAD;
      if (size < HEAD || size > MOST) throw new StreamFault(`a message of ${size} bytes`);
      if (have >= HEAD && have >= size) {
        this.kind = this.bytes[this.at]!;
        this.start = this.at + HEAD;
        this.end = this.at + size;
        this.at = this.end;
        return true;
      }
      // Joined once it is whole, so that a large one is not copied again and again.
      if (this.waiting === 0 || have + this.waiting < size) return false;
      this.bytes = Buffer.concat([this.bytes.subarray(this.at, this.limit), ...this.pieces]);
      this.at = 0;
      this.limit = this.bytes.length;
      this.pieces = [];
      this.waiting = 0;
    }
  }
}

const EMPTY = Buffer.alloc(0);
