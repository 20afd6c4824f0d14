import type { MessageBatch } from "@mqb/core/plugin";
import { Deque } from "../batch/deque.ts";
import { takeFrom } from "./cut.ts";
import type { Lane, Slot, Waiter } from "./lane.ts";

/** How many batches a subscriber takes from the log at once, so that small ones can be joined. */
const AHEAD = 16;

/**
 * The batches of a topic that all of its subscribers read. A batch stays until the slowest subscriber has taken it; while
 * there is no subscriber all of them stay. Those of a subscriber that is away do not.
 */
export class EventLog {
  private readonly entries = new Deque<MessageBatch>();
  /** The number of the first entry. */
  private base = 0;
  private readonly subscribers = new Set<Subscriber>();
  private readonly freed: () => void;

  /** `freed` is called whenever entries may have been dropped. */
  constructor(batches: readonly MessageBatch[], freed: () => void) {
    for (const batch of batches) this.entries.push(batch);
    this.freed = freed;
  }

  /** Batches that somebody has not taken yet. */
  get size(): number {
    return this.entries.length;
  }

  get subscriberCount(): number {
    return this.subscribers.size;
  }

  get first(): number {
    return this.base;
  }

  get next(): number {
    return this.base + this.entries.length;
  }

  append(batch: MessageBatch): void {
    this.entries.push(batch);
    for (const subscriber of this.subscribers) subscriber.wake();
  }

  at(number: number): MessageBatch | undefined {
    return this.entries.at(number - this.base);
  }

  join(subscriber: Subscriber): void {
    this.subscribers.add(subscriber);
    this.trim();
  }

  leave(subscriber: Subscriber): void {
    if (this.subscribers.delete(subscriber)) this.trim();
  }

  /** Drops what every subscriber has taken. */
  trim(): void {
    if (this.subscribers.size === 0) return;
    let slowest = this.next;
    for (const subscriber of this.subscribers) slowest = Math.min(slowest, subscriber.position);
    if (slowest === this.base) return;
    while (this.base < slowest) {
      this.entries.shift();
      this.base++;
    }
    this.freed();
  }
}

/** One subscriber's place in a log. Outlives its consumer, so that a reconnect goes on where it was. */
export class Subscriber implements Lane {
  readonly exclusive = false;
  /** The number of the next entry that it takes. */
  position: number;
  private readonly log: EventLog;
  /** Taken from the log: cut batches, and what was given back. */
  private readonly own = new Deque<Slot>();
  private waiter: Waiter | undefined;

  constructor(log: EventLog) {
    this.log = log;
    this.position = log.first;
  }

  get pending(): number {
    return this.own.length + this.log.next - this.position;
  }

  /** Comes (back) to the log. Returns how many batches it has missed while it was away. */
  join(): number {
    const missed = Math.max(0, this.log.first - this.position);
    this.position += missed;
    this.log.join(this);
    return missed;
  }

  leave(): void {
    this.log.leave(this);
  }

  take(max: number): Slot | undefined {
    if (this.own.length === 0) this.fetch();
    return takeFrom(this.own, max);
  }

  restore(slots: readonly Slot[]): void {
    for (let i = slots.length - 1; i >= 0; i--) this.own.unshift(slots[i]!);
    this.wake();
  }

  append(slot: Slot): void {
    this.own.push(slot);
    this.wake();
  }

  await(waiter: Waiter): void {
    this.waiter = waiter;
  }

  cancel(): void {
    this.waiter = undefined;
  }

  wake(): void {
    const waiter = this.waiter;
    this.waiter = undefined;
    waiter?.wake();
  }

  private fetch(): void {
    while (this.own.length < AHEAD) {
      const batch = this.log.at(this.position);
      if (!batch) break;
      this.own.push({ batch, from: 0, returns: 0 });
      this.position++;
    }
    this.log.trim();
  }
}
