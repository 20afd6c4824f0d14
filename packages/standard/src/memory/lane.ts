import type { MessageBatch } from "@mqb/core/plugin";

/** A batch in a topic, from a position on: what was before is taken already. */
export interface Slot {
  readonly batch: MessageBatch;
  readonly from: number;
  /** How often these messages were given back. */
  readonly returns: number;
}

/** Somebody who waits for a lane to have a batch. */
export interface Waiter {
  /** Called when there may be one; takes it, or waits again. */
  wake(): void;
}

/** Where a consumer takes its batches from: the queue of a topic, or its own place in the log of a topic. */
export interface Lane {
  /** At most `max` messages that are there; undefined when there are none. */
  take(max: number): Slot | undefined;
  /** To the front, in this order: they are the next ones to be taken. Never waits for room. */
  restore(slots: readonly Slot[]): void;
  /** Behind everything that is there. Never waits for room. */
  append(slot: Slot): void;
  await(waiter: Waiter): void;
  cancel(waiter: Waiter): void;
  /** The consumer goes. */
  leave(): void;
  /** Batches that are there for this consumer. */
  readonly pending: number;
  /** Whether one acknowledgement is the end of a message; a log has others who read it too. */
  readonly exclusive: boolean;
}
