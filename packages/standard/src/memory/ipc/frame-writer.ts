import type { MessageBatch, Metadata } from "@mqb/core/plugin";
import { HEADER_BYTES, MAX_WRITTEN_BYTES } from "./limits.ts";

/** A buffer of at most this size is kept for the next frame. */
const MAX_KEPT_BYTES = 1024 * 1024;
/** Texts below this length are written character by character, as long as these are ASCII: a call costs more. */
const SHORT = 64;
/** Array header, id and payload header of a message take at most so much. */
const OVERHEAD_BYTES = 1 + 38 + 5;

/**
 * Writes messages as one frame: an array of messages, each an array of its id (UUID text), its payload (bin) and, when
 * there is any, its metadata (map of texts). Every header is the shortest one, as the original writes them.
 */
export class FrameWriter {
  private readonly limit: number;
  private spare: Buffer | undefined;
  private bytes: Buffer = Buffer.alloc(0);
  private at = 0;

  /** `limit`: most bytes of a frame, without its header. */
  constructor(limit: number = MAX_WRITTEN_BYTES) {
    this.limit = limit;
  }

  /** The messages from one position up to another; undefined when they are more than a frame may hold. */
  write(batch: MessageBatch, from: number, to: number): Buffer | undefined {
    const all = from === 0 && to === batch.length;
    const payloads = all ? batch.byteLength : sumPayloads(batch, from, to);
    if (payloads > this.limit) return undefined;
    this.begin(HEADER_BYTES + 5 + payloads + (to - from) * (OVERHEAD_BYTES + 32));
    this.at = HEADER_BYTES;
    this.length(to - from, 0x90, 16, 0xdc);
    // Messages of one source often share one map of metadata: it is written once and copied.
    let last: Metadata | undefined;
    let lastStart = 0;
    let lastEnd = 0;
    for (let i = from; i < to; i++) {
      const metadata = batch.metadata(i);
      this.room(OVERHEAD_BYTES);
      this.bytes[this.at++] = metadata.size === 0 ? 0x92 : 0x93;
      this.id(batch, i);
      this.payload(batch, i);
      if (metadata.size > 0) {
        const start = this.at;
        if (metadata === last) this.again(lastStart, lastEnd);
        else this.map(metadata);
        last = metadata;
        lastStart = start;
        lastEnd = this.at;
      }
      if (this.at - HEADER_BYTES > this.limit) {
        this.release(this.bytes);
        return undefined;
      }
    }
    const { bytes, at } = this;
    this.bytes = EMPTY;
    bytes.writeUInt32BE(at - HEADER_BYTES, 0);
    return bytes.subarray(0, at);
  }

  /** Gives a frame back that is not needed any more, so that its memory can serve the next one. */
  release(frame: Buffer): void {
    if (this.bytes.buffer === frame.buffer) this.bytes = EMPTY;
    const { buffer } = frame;
    if (buffer.byteLength <= MAX_KEPT_BYTES && buffer.byteLength > (this.spare?.length ?? 0)) {
      this.spare = Buffer.from(buffer, 0, buffer.byteLength);
    }
  }

  private begin(size: number): void {
    const { spare } = this;
    this.spare = undefined;
    this.bytes = spare && spare.length >= size ? spare : Buffer.allocUnsafeSlow(size);
  }

  private room(more: number): void {
    const needed = this.at + more;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }

  private id(batch: MessageBatch, index: number): void {
    if (batch.writeId) {
      this.bytes[this.at] = 0xd9;
      this.bytes[this.at + 1] = 36;
      batch.writeId(index, this.bytes, this.at + 2);
      this.at += 38;
    } else {
      this.text(batch.id(index));
    }
  }

  private payload(batch: MessageBatch, index: number): void {
    const { slab } = batch;
    if (slab) {
      const start = slab.starts[index]!;
      const end = slab.ends[index]!;
      this.bin(end - start);
      slab.bytes.copy(this.bytes, this.at, start, end);
      this.at += end - start;
    } else {
      const payload = batch.payload(index);
      this.bin(payload.length);
      this.bytes.set(payload, this.at);
      this.at += payload.length;
    }
  }

  private map(metadata: Metadata): void {
    this.room(5);
    this.length(metadata.size, 0x80, 16, 0xde);
    for (const [key, value] of metadata) {
      this.text(key);
      this.text(value);
    }
  }

  private again(from: number, to: number): void {
    this.room(to - from);
    this.bytes.copyWithin(this.at, from, to);
    this.at += to - from;
  }

  private text(text: string): void {
    const { length } = text;
    if (length >= SHORT) {
      this.longText(text);
      return;
    }
    this.room(2 + length);
    const { bytes } = this;
    let at = this.at;
    if (length < 32) {
      bytes[at++] = 0xa0 | length;
    } else {
      bytes[at++] = 0xd9;
      bytes[at++] = length;
    }
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) {
        this.longText(text);
        return;
      }
      bytes[at++] = code;
    }
    this.at = at;
  }

  /** Of any length and any characters. */
  private longText(text: string): void {
    const length = Buffer.byteLength(text);
    this.room(5 + length);
    const { bytes } = this;
    if (length < 32) {
      bytes[this.at++] = 0xa0 | length;
    } else if (length < 0x100) {
      bytes[this.at++] = 0xd9;
      bytes[this.at++] = length;
    } else if (length < 0x10000) {
      bytes[this.at++] = 0xda;
      this.at = bytes.writeUInt16BE(length, this.at);
    } else {
      bytes[this.at++] = 0xdb;
      this.at = bytes.writeUInt32BE(length, this.at);
    }
    this.at += bytes.write(text, this.at, length, "utf8");
  }

  /** The header of a payload, and room for all of it. */
  private bin(length: number): void {
    this.room(5 + length);
    const { bytes } = this;
    if (length < 0x100) {
      bytes[this.at++] = 0xc4;
      bytes[this.at++] = length;
    } else if (length < 0x10000) {
      bytes[this.at++] = 0xc5;
      this.at = bytes.writeUInt16BE(length, this.at);
    } else {
      bytes[this.at++] = 0xc6;
      this.at = bytes.writeUInt32BE(length, this.at);
    }
  }

  /** The header of an array or map: below `few` in one byte, else in the form of 16 or 32 bits. */
  private length(length: number, small: number, few: number, form16: number): void {
    const { bytes } = this;
    if (length < few) {
      bytes[this.at++] = small | length;
    } else if (length < 0x10000) {
      bytes[this.at++] = form16;
      this.at = bytes.writeUInt16BE(length, this.at);
    } else {
      bytes[this.at++] = form16 + 1;
      this.at = bytes.writeUInt32BE(length, this.at);
    }
  }
}

const EMPTY = Buffer.alloc(0);

function sumPayloads(batch: MessageBatch, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += batch.payload(i).length;
  return sum;
}
