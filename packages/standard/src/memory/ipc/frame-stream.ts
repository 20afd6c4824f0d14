import type { MessageBatch } from "@mqb/core/plugin";
import { FrameFault, FrameReader } from "./frame-reader.ts";
import { HEADER_BYTES, MAX_READ_BYTES } from "./limits.ts";

/** A frame up to this size gets its buffer at once; that of a longer one grows with what has come. */
const AT_ONCE_BYTES = 1024 * 1024;

/** The bytes of one connection, cut into frames. */
export class FrameStream {
  private readonly limit: number;
  /** The frame that has begun, with its header. */
  private partial: Buffer = NOTHING;
  /** Bytes of it that are there. */
  private have = 0;
  /** Its length with the header; 0 while the header itself is not whole. */
  private need = 0;

  constructor(limit: number = MAX_READ_BYTES) {
    this.limit = limit;
  }

  /** Bytes of a frame that is not whole. */
  get pending(): number {
    return this.have;
  }

  /**
   * Takes the next bytes and passes on the messages of all frames that they complete; frames that lie in the same bytes
   * are one batch. Throws a `FrameFault` when they are no frame, after what came before it was passed on.
   */
  push(chunk: Buffer, pass: (batch: MessageBatch) => void): void {
    let at = 0;
    if (this.have > 0) {
      at = this.complete(chunk, pass);
      if (this.have > 0) return;
    }
    const reader = new FrameReader(chunk);
    try {
      while (chunk.length - at >= HEADER_BYTES) {
        const end = at + this.lengthAt(chunk, at);
        if (end > chunk.length) break;
        reader.add(at + HEADER_BYTES, end);
        at = end;
      }
    } finally {
      if (reader.length > 0) pass(reader.batch());
    }
    if (at < chunk.length) this.begin(chunk, at);
  }

  /** Goes on with the frame that has begun. Returns how much of the chunk it has taken. */
  private complete(chunk: Buffer, pass: (batch: MessageBatch) => void): number {
    let at = 0;
    if (this.need === 0) {
      at = Math.min(HEADER_BYTES - this.have, chunk.length);
      chunk.copy(this.partial, this.have, 0, at);
      this.have += at;
      if (this.have < HEADER_BYTES) return at;
      this.need = this.lengthAt(this.partial, 0);
    }
    const more = Math.min(this.need - this.have, chunk.length - at);
    this.room(this.have + more);
    chunk.copy(this.partial, this.have, at, at + more);
    this.have += more;
    if (this.have < this.need) return at + more;
    const reader = new FrameReader(this.partial);
    this.partial = NOTHING;
    const end = this.need;
    this.have = 0;
    this.need = 0;
    reader.add(HEADER_BYTES, end);
    if (reader.length > 0) pass(reader.batch());
    return at + more;
  }

  private begin(chunk: Buffer, at: number): void {
    this.have = chunk.length - at;
    this.need = this.have >= HEADER_BYTES ? this.lengthAt(chunk, at) : 0;
    this.partial = Buffer.allocUnsafeSlow(HEADER_BYTES);
    this.room(this.have);
    chunk.copy(this.partial, 0, at);
  }

  private room(size: number): void {
    const { length } = this.partial;
    if (size <= length) return;
    const wanted = this.need <= AT_ONCE_BYTES ? this.need : Math.max(2 * length, AT_ONCE_BYTES);
    const larger = Buffer.allocUnsafeSlow(Math.max(size, Math.min(wanted, this.need)));
    this.partial.copy(larger, 0, 0, Math.min(length, this.have));
    this.partial = larger;
  }

  /** The length of the frame whose header lies at a position, header included. */
  private lengthAt(bytes: Buffer, at: number): number {
    const length = bytes.readUInt32BE(at);
    if (length === 0) throw new FrameFault("it is empty");
    if (length > this.limit) throw new FrameFault(`it is said to have ${length} bytes, and ${this.limit} are allowed`);
    return HEADER_BYTES + length;
  }
}

const NOTHING = Buffer.alloc(0);
