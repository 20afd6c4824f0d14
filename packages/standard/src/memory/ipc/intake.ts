import type { Lane, Slot, Waiter } from "../lane.ts";
import { Queue } from "../queue.ts";
import { Replies } from "../replies.ts";
import { READ_AHEAD_BYTES } from "./limits.ts";

/**
 * What was read from a socket and waits for the route: a few batches, so that the socket is read while the route works.
 * It outlives the consumer, so that nothing is lost when the route reconnects.
 */
export class Intake implements Lane {
  readonly exclusive = true;
  /** The address, as messages call it. */
  readonly name: string;
  readonly mode = "transport";
  /** Nobody waits for an answer at the other end of a socket. */
  readonly replies = new Replies();
  readers = 0;
  private slots = 1;
  private bytes = 0;
  private messages = 0;
  private readonly queue = new Queue(() => {});
  private readonly listeners = new Set<() => void>();

  constructor(name: string) {
    this.name = name;
  }

  /** Batches that are read ahead at most. */
  get capacity(): number {
    return this.slots;
  }

  grow(capacity: number): void {
    this.slots = Math.max(this.slots, capacity);
  }

  get pending(): number {
    return this.queue.pending;
  }

  /** Messages that wait. */
  get length(): number {
    return this.messages;
  }

  /** Nothing more should be read for now. */
  get full(): boolean {
    return this.queue.pending >= this.slots || this.bytes >= READ_AHEAD_BYTES;
  }

  append(slot: Slot): void {
    this.count(slot, 1);
    this.queue.append(slot);
  }

  restore(slots: readonly Slot[]): void {
    for (const slot of slots) this.count(slot, 1);
    this.queue.restore(slots);
  }

  take(max: number): Slot | undefined {
    const wasFull = this.full;
    const slot = this.queue.take(max);
    if (!slot) return undefined;
    this.count(slot, -1);
    if (wasFull && !this.full) for (const listener of this.listeners) listener();
    return slot;
  }

  await(waiter: Waiter): void {
    this.queue.await(waiter);
  }

  cancel(waiter: Waiter): void {
    this.queue.cancel(waiter);
  }

  leave(): void {}

  /** Calls back whenever it is no longer full. Returns what ends that. */
  onRoom(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private count({ batch }: Slot, sign: 1 | -1): void {
    this.bytes += sign * batch.byteLength;
    this.messages += sign * batch.length;
  }
}
