import type { Clock } from "@mqb/core/plugin";
import type { Frame } from "../wire/frame.ts";
import { END, HEAD, PAYLOAD, REPLY, REPLY_END, Received, SUBJECT, SUBJECT_END, WIDTH } from "../wire/received.ts";

const EMPTY = Buffer.alloc(0);
const FIRST_ROOM = 256;
/** Messages that are a smaller part of the bytes they came in are copied out of them. */
const SMALL_PART = 1 / 4;

/** The bytes that some messages came in. */
interface Chunk {
  bytes: Buffer;
  /** How many of its bytes are of messages of this queue, and not of others on the connection. */
  own: number;
  /** The number of its last message, counted from the first one that this queue has ever had. */
  last: number;
}

/** Received messages that nobody has asked for yet, and the one who waits for them. */
export class ReceivedQueue {
  /** Headers included. */
  bytes = 0;
  /** Messages that have room in the ring; a power of two. */
  private room = FIRST_ROOM;
  /** Where the parts of each message lie in its chunk, in a ring. */
  private places = new Uint32Array(FIRST_ROOM * WIDTH);
  private chunks: Chunk[] = [];
  /** Messages that were taken, and those that have come. */
  private taken = 0;
  private come = 0;
  private wakeUp: (() => void) | undefined;
  private soon: NodeJS.Immediate | undefined;

  get length(): number {
    return this.come - this.taken;
  }

  push(frame: Frame): void {
    if (this.length === this.room) this.grow();
    const { places } = this;
    const at = (this.come & (this.room - 1)) * WIDTH;
    places[at + SUBJECT] = frame.subject;
    places[at + SUBJECT_END] = frame.subjectEnd;
    places[at + REPLY] = frame.reply;
    places[at + REPLY_END] = frame.replyEnd;
    places[at + HEAD] = frame.head;
    places[at + PAYLOAD] = frame.payload;
    places[at + END] = frame.end;
    const own = frame.end - frame.subject;
    const chunk = this.chunks.at(-1);
    if (chunk?.bytes === frame.bytes) {
      chunk.last = this.come;
      chunk.own += own;
    } else {
      if (chunk && chunk.own < SMALL_PART * chunk.bytes.length) this.pack(chunk);
      this.chunks.push({ bytes: frame.bytes, own, last: this.come });
    }
    this.come += 1;
    this.bytes += frame.end - frame.head;
    // What comes with it in the same turn belongs to the same batch.
    if (this.wakeUp) this.soon ??= setImmediate(() => this.wake());
  }

  /** The first ones, at most so many, in one piece of memory: a copy only where they came in several. */
  take(max: number): Received {
    const count = Math.min(max, this.length);
    const received = this.first(count);
    for (let i = 0; i < count; i++) this.bytes -= this.place(this.taken + i, END) - this.place(this.taken + i, HEAD);
    this.taken += count;
    const left = this.chunks.findIndex(({ last }) => last >= this.taken);
    this.chunks = left < 0 ? [] : this.chunks.slice(left);
    return received;
  }

  waiting(): Received {
    return this.first(this.length);
  }

  /** Whoever waits looks again. */
  wake(): void {
    if (this.soon) clearImmediate(this.soon);
    this.soon = undefined;
    this.wakeUp?.();
  }

  /** Resolves when a message is there, when somebody wakes, when the signal aborts, or after `ms`. */
  arrival(signal: AbortSignal, clock: Clock, ms?: number): Promise<void> {
    if (signal.aborted || this.length > 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.wakeUp = undefined;
        cancel?.();
        signal.removeEventListener("abort", done);
        resolve();
      };
      const cancel = ms === undefined ? undefined : clock.timer(ms, done);
      this.wakeUp = done;
      signal.addEventListener("abort", done, { once: true });
    });
  }

  /** Copies what waits of the last chunk: a few messages would keep all that came with them for others. */
  private pack(chunk: Chunk): void {
    const { bytes, last } = chunk;
    const packed = Buffer.allocUnsafeSlow(chunk.own);
    const before = this.chunks.at(-2);
    let length = 0;
    for (let number = before ? before.last + 1 : this.taken; number <= last; number++) {
      const from = this.place(number, SUBJECT);
      const shift = length - from;
      length += bytes.copy(packed, length, from, this.place(number, END));
      const at = (number & (this.room - 1)) * WIDTH;
      const hasReply = this.place(number, REPLY_END) > 0;
      for (let part = 0; part < WIDTH; part++)
        if (hasReply || (part !== REPLY && part !== REPLY_END)) this.places[at + part]! += shift;
    }
    chunk.bytes = packed;
  }

  private first(count: number): Received {
    const places = new Uint32Array(count * WIDTH);
    const pieces: Buffer[] = [];
    let [length, done] = [0, 0];
    for (let n = 0; done < count; n++) {
      const { bytes, last } = this.chunks[n]!;
      const end = Math.min(count, last + 1 - this.taken);
      const from = this.place(this.taken + done, SUBJECT);
      // The line of a message comes before its parts, and only the parts are of use.
      const shift = length - from;
      for (; done < end; done++) {
        const at = done * WIDTH;
        for (let part = 0; part < WIDTH; part++) places[at + part] = this.place(this.taken + done, part) + shift;
        if (this.place(this.taken + done, REPLY_END) === 0) places[at + REPLY] = places[at + REPLY_END] = 0;
      }
      const piece = bytes.subarray(from, this.place(this.taken + end - 1, END));
      pieces.push(piece);
      length += piece.length;
    }
    return new Received(pieces.length > 1 ? Buffer.concat(pieces, length) : (pieces[0] ?? EMPTY), places);
  }

  private place(number: number, part: number): number {
    return this.places[(number & (this.room - 1)) * WIDTH + part]!;
  }

  private grow(): void {
    const room = 2 * this.room;
    const places = new Uint32Array(room * WIDTH);
    for (let number = this.taken; number < this.come; number++) {
      for (let part = 0; part < WIDTH; part++) {
        places[(number & (room - 1)) * WIDTH + part] = this.place(number, part);
      }
    }
    this.places = places;
    this.room = room;
  }
}
