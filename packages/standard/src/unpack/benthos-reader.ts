import { errors } from "../errors.ts";
import type { FrameReader } from "./frame-reader.ts";

const WORD = 4;

/** Frames of the layout `benthos_binary`. */
export class BenthosReader implements FrameReader {
  count = 0;
  readonly flags = 0;
  at = 0;
  recordStart = 0;
  payloadStart = 0;
  payloadEnd = 0;
  private bytes: Buffer = Buffer.alloc(0);
  private start = 0;
  private end = 0;

  open(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes;
    this.start = start;
    this.at = start;
    this.end = end;
    this.count = this.word("the count");
    const room = Math.floor((end - this.at) / WORD);
    if (this.count > room) throw this.damaged(`it says that it holds ${this.count} messages, and has room for ${room}`);
  }

  next(): void {
    this.recordStart = this.at;
    const length = this.word("the length of a payload");
    this.payloadStart = this.at;
    if (length > this.end - this.at)
      throw this.damaged(`a payload of ${length} bytes, of which ${this.end - this.at} are there`);
    this.at += length;
    this.payloadEnd = this.at;
  }

  private word(what: string): number {
    if (this.at + WORD > this.end) throw this.damaged(`it ends within ${what}`);
    const value = this.bytes.readUInt32BE(this.at);
    this.at += WORD;
    return value;
  }

  private damaged(reason: string): Error {
    return errors.UNPACK_MALFORMED({ format: "benthos_binary", reason, offset: this.at - this.start });
  }
}
