import type { RecordChunk } from "../wire/chunk.ts";
import { partitionKey } from "../wire/produce.ts";
import type { FetchedRecords } from "../wire/record-reader.ts";
import type { OpenDelivery } from "./positions.ts";

/** Records that lie together. */
export interface Taken {
  readonly chunk: RecordChunk;
  readonly from: number;
  readonly to: number;
  readonly next: number;
}

/**
 * One assigned partition: how far it is read, what is read ahead, how far it is settled. Belongs to one membership: when the
 * partition goes to somebody else it is lost, and nothing of it is committed any more.
 */
export class Partition {
  readonly topic: string;
  readonly number: number;
  readonly key: string;
  /** The offset that is fetched next. */
  position: number;
  /** Everything before it is settled; what a commit says. */
  settled: number;
  /** What the group has from us, or from a transaction; -1 = not known any more. */
  committed: number;
  /** Deliveries that are not settled, in their order. */
  readonly open: OpenDelivery[] = [];
  /** Where a drain ends. */
  end: number | undefined;
  highWatermark: number;
  /** When the broker has said so, on the monotonic clock. */
  seenAt = Number.NEGATIVE_INFINITY;
  isLost = false;
  /** Raised when the partition is read again from an earlier offset: what was handed out before counts no more. */
  epoch = 0;
  /** Nothing is fetched until everything that was handed out is settled: no message is on its way twice. */
  private waits = false;
  /** An earlier membership of this process that has deliveries of the same partition on their way still. */
  private readonly before: Partition | undefined;
  private readonly queue: FetchedRecords[] = [];
  /** The one that is being handed out, and how many of its records are. */
  private current: RecordChunk | undefined;
  private taken = 0;
  queuedBytes = 0;

  constructor(topic: string, number: number, position: number, before: Partition | undefined) {
    this.topic = topic;
    this.number = number;
    this.key = partitionKey(topic, number);
    this.position = position;
    this.settled = position;
    this.committed = position;
    this.highWatermark = position;
    this.before = before;
  }

  /** How many deliveries are not settled. */
  get handed(): number {
    return this.open.length;
  }

  get hasRecords(): boolean {
    return this.current !== undefined || this.queue.length > 0;
  }

  get mayFetch(): boolean {
    if (this.waits && this.handed === 0) this.waits = false;
    return !this.isLost && !this.waits && (this.before === undefined || this.before.handed === 0);
  }

  get isDrained(): boolean {
    return !this.hasRecords && !this.waits && this.end !== undefined && this.position >= this.end;
  }

  /** Messages that are not settled yet, as far as is known. */
  get lag(): number {
    return Math.max(0, this.highWatermark - this.settled);
  }

  /** The broker says where the partition ends, at the time `at`. */
  sees(highWatermark: number, at: number): void {
    this.highWatermark = highWatermark;
    this.seenAt = at;
  }

  add(fetched: FetchedRecords): void {
    this.position = fetched.next;
    // Only markers and aborted records: nothing will be settled for them.
    if (!fetched.isEmpty) {
      this.queue.push(fetched);
      this.queuedBytes += fetched.size;
    } else if (!this.hasRecords && this.handed === 0) this.settled = fetched.next;
  }

  /**
   * Up to `max` records that lie together. There are some, as far as is known: undefined when none of what was read is wanted.
   * Throws a `DamagedBatch`.
   */
  take(max: number): Taken | undefined {
    const chunk = (this.current ??= this.read());
    const from = this.taken;
    const to = Math.min(chunk.count, from + max);
    if (to < chunk.count) {
      this.taken = to;
      return { chunk, from, to, next: chunk.offsets[to - 1]! + 1 };
    }
    this.current = undefined;
    this.taken = 0;
    if (from < to) return { chunk, from, to, next: chunk.next };
    // Compacted away up to the end of its batch. What is on its way settles it, as it does markers.
    if (this.handed === 0) this.settled = chunk.next;
    return undefined;
  }

  private read(): RecordChunk {
    const first = this.queue[0]!;
    const chunk = first.read();
    if (first.isEmpty) {
      this.queue.shift();
      this.queuedBytes -= first.size;
    }
    return chunk;
  }

  /** Reads again from an offset on. */
  rewind(offset: number): void {
    this.epoch += 1;
    this.position = offset;
    // It may be further than what is read again: then it has to come back.
    this.committed = -1;
    this.queue.length = 0;
    this.current = undefined;
    this.taken = 0;
    this.queuedBytes = 0;
    this.waits = this.handed > 0;
  }

  lose(): void {
    this.isLost = true;
    this.rewind(this.settled);
  }
}
