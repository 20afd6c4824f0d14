import { Deque } from "../batch/deque.ts";
import { takeFrom } from "./cut.ts";
import type { Lane, Slot, Waiter } from "./lane.ts";

/** The batches of a topic that its consumers share: each goes to one of them. */
export class Queue implements Lane {
  readonly exclusive = true;
  private readonly slots = new Deque<Slot>();
  private readonly waiting: Waiter[] = [];
  private readonly freed: () => void;

  /** `freed` is called whenever slots may have become free. */
  constructor(freed: () => void) {
    this.freed = freed;
  }

  get pending(): number {
    return this.slots.length;
  }

  append(slot: Slot): void {
    this.slots.push(slot);
    this.wake();
  }

  take(max: number): Slot | undefined {
    const slot = takeFrom(this.slots, max);
    if (slot) this.freed();
    return slot;
  }

  restore(slots: readonly Slot[]): void {
    for (let i = slots.length - 1; i >= 0; i--) this.slots.unshift(slots[i]!);
    this.wake();
  }

  await(waiter: Waiter): void {
    this.waiting.push(waiter);
  }

  cancel(waiter: Waiter): void {
    const at = this.waiting.indexOf(waiter);
    if (at >= 0) this.waiting.splice(at, 1);
  }

  leave(): void {}

  /** Everything in order; the queue is empty then. */
  drain(): Slot[] {
    return this.slots.drain();
  }

  private wake(): void {
    while (this.slots.length > 0) {
      const waiter = this.waiting.shift();
      if (!waiter) return;
      waiter.wake();
    }
  }
}
