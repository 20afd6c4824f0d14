import type { Clock } from "@mqb/core/plugin";
import { Topic } from "../memory/topic.ts";

/** The least time between two looks for streams to discard, so that many of them are discarded together. */
const LEAST_PAUSE_MS = 1_000;

/** One stream: what was sent with one correlation id. */
export interface Stream {
  readonly id: string;
  readonly topic: Topic;
  /** Set when it is discarded or done: a new one takes its place. */
  gone: boolean;
  /** Called when it goes. */
  readonly leaving: Set<() => void>;
  /** When something was added, and for how long it stays without a reader after that; 0 = for ever. */
  touched: number;
  ttlMs: number;
}

/**
 * The streams of one buffer, by correlation id. A stream is made by whoever comes first. It goes when its last reader has
 * read all of it and closes, or when nobody reads it and nothing is added for its time to live.
 */
export class Streams {
  private readonly name: string;
  private readonly byId = new Map<string, Stream>();
  private readonly clock: Clock;
  private open = 0;
  private cancel: (() => void) | undefined;

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.clock = clock;
  }

  get size(): number {
    return this.byId.size;
  }

  /** Somebody uses the buffer: only then a timer runs. */
  enter(): void {
    this.open++;
    this.lookLater();
  }

  leave(): void {
    this.open--;
    if (this.open > 0) return;
    this.cancel?.();
    this.cancel = undefined;
  }

  get(id: string, capacity: number, ttlMs: number): Stream {
    let stream = this.byId.get(id);
    if (!stream) {
      const topic = new Topic(`${this.name}/${id}`);
      stream = { id, topic, gone: false, leaving: new Set(), touched: 0, ttlMs };
      this.byId.set(id, stream);
    }
    stream.topic.grow(capacity);
    stream.ttlMs = ttlMs;
    this.touch(stream);
    return stream;
  }

  /** Something was added. */
  touch(stream: Stream): void {
    stream.touched = this.clock.monotonic();
    if (stream.topic.readers === 0) this.lookLater();
  }

  /** A reader has closed. What is left is kept for another one: its route may only be reconnecting. */
  closed(stream: Stream): void {
    if (stream.topic.readers === 0 && stream.topic.pending === 0) this.discard(stream);
    else this.touch(stream);
  }

  private discard(stream: Stream): void {
    if (stream.gone) return;
    stream.gone = true;
    this.byId.delete(stream.id);
    for (const leave of stream.leaving) leave();
  }

  private lookLater(): void {
    if (this.cancel || this.open === 0) return;
    let next = Number.POSITIVE_INFINITY;
    for (const stream of this.byId.values()) next = Math.min(next, expiryOf(stream));
    if (next === Number.POSITIVE_INFINITY) return;
    this.cancel = this.clock.timer(Math.max(next - this.clock.monotonic(), LEAST_PAUSE_MS), () => {
      this.cancel = undefined;
      const now = this.clock.monotonic();
      for (const stream of this.byId.values()) if (expiryOf(stream) <= now) this.discard(stream);
      this.lookLater();
    });
  }
}

function expiryOf({ topic, touched, ttlMs }: Stream): number {
  return topic.readers > 0 || ttlMs === 0 ? Number.POSITIVE_INFINITY : touched + ttlMs;
}
