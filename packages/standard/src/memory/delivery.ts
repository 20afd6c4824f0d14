import { batchOf, type Delivery, type Disposition, type MessageBatch } from "@mqb/core/plugin";
import type { MemoryConsumer } from "./consumer.ts";
import type { Slot } from "./lane.ts";

/** What a commit or a send returns that is done at once: one promise for all. */
export const DONE: Promise<undefined> = Promise.resolve(undefined);

export const NOTHING: Delivery = { batch: batchOf([]), commit: () => DONE };

/** A batch in the hands of a route. */
export class MemoryDelivery implements Delivery {
  readonly batch: MessageBatch;
  readonly slot: Slot;
  private readonly consumer: MemoryConsumer;

  constructor(slot: Slot, consumer: MemoryConsumer) {
    this.batch = slot.batch;
    this.slot = slot;
    this.consumer = consumer;
  }

  commit(dispositions?: readonly Disposition[]): Promise<void> {
    return this.consumer.settle(this, dispositions);
  }
}
