import { isUtf8 } from "node:buffer";
import { errors } from "../errors.ts";
import { HAS_IDS, HAS_METADATA, HEADER_BYTES, ID_BYTES, MAGIC, VERSION } from "../pack/layout.ts";
import type { FrameReader } from "./frame-reader.ts";

/** A number of 64 bits takes at most as many. */
const LEB_MAX = 10;

/** Frames of the layout `mqb`. */
export class MqbReader implements FrameReader {
  count = 0;
  flags = 0;
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
    for (let i = 0; i < MAGIC.length; i++)
      if (start + i >= end || bytes[start + i] !== MAGIC[i]) throw this.damaged("it does not begin with MQB1");
    if (end - start < HEADER_BYTES) throw this.damaged("it ends within the header");
    const version = bytes.readUInt16LE(start + MAGIC.length);
    if (version !== VERSION) throw errors.UNPACK_VERSION({ version });
    this.flags = bytes.readUInt16LE(start + MAGIC.length + 2);
    if ((this.flags & ~(HAS_METADATA | HAS_IDS)) !== 0) throw errors.UNPACK_VERSION({ version, flags: this.flags });
    this.at += HEADER_BYTES;
    this.count = this.number("the count");
    const least = 1 + (this.flags & HAS_IDS ? ID_BYTES : 0) + (this.flags & HAS_METADATA ? 1 : 0);
    const room = Math.floor((end - this.at) / least);
    if (this.count > room) throw this.damaged(`it says that it holds ${this.count} messages, and has room for ${room}`);
  }

  next(): void {
    this.recordStart = this.at;
    if (this.flags & HAS_IDS) this.pass(ID_BYTES, "an id");
    const length = this.number("the length of a payload");
    this.payloadStart = this.at;
    this.pass(length, "a payload");
    this.payloadEnd = this.at;
    if (this.flags & HAS_METADATA) this.passMetadata();
  }

  private passMetadata(): void {
    const pairs = this.number("the number of metadata pairs");
    if (pairs * 2 > this.end - this.at) throw this.damaged(`${pairs} metadata pairs, for which there is no room`);
    for (let i = 0; i < 2 * pairs; i++) {
      const length = this.number("the length of a metadata text");
      const from = this.at;
      this.pass(length, "a metadata text");
      if (!this.isText(from)) throw this.damaged("metadata that is not UTF-8");
    }
  }

  /** Whether the bytes from `from` to here are UTF-8; mostly they are ASCII. */
  private isText(from: number): boolean {
    const { bytes, at } = this;
    for (let i = from; i < at; i++) if (bytes[i]! > 127) return isUtf8(bytes.subarray(from, at));
    return true;
  }

  private pass(length: number, what: string): void {
    const left = this.end - this.at;
    if (length > left) throw this.damaged(`${what} of ${length} bytes, of which ${left} are there`);
    this.at += length;
  }

  private number(what: string): number {
    let value = 0;
    let unit = 1;
    for (let i = 0; i < LEB_MAX; i++) {
      if (this.at >= this.end) throw this.damaged(`it ends within ${what}`);
      const byte = this.bytes[this.at++]!;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
      unit *= 128;
    }
    throw this.damaged(`${what} is no number`);
  }

  private damaged(reason: string): Error {
    return errors.UNPACK_MALFORMED({ format: "mqb", reason, offset: this.at - this.start });
  }
}
