import type { Delivery, Disposition, MessageBatch } from "@mqb/core/plugin";
import type { Partition } from "./partition.ts";
import type { OpenDelivery } from "./positions.ts";

/** Who settles deliveries. */
export interface Settler {
  settle(delivery: KafkaDelivery, dispositions: readonly Disposition[] | undefined): Promise<void>;
}

/** Records of one partition in the hands of a route. */
export class KafkaDelivery implements Delivery, OpenDelivery {
  readonly batch: MessageBatch;
  readonly partition: Partition;
  readonly epoch: number;
  readonly offsets: Float64Array;
  /** The position behind it, what is left out between it and the next record included. */
  readonly next: number;
  transacted = 0;
  private readonly consumer: Settler;

  constructor(
    batch: MessageBatch,
    consumer: Settler,
    partition: Partition,
    epoch: number,
    offsets: Float64Array,
    next: number,
  ) {
    this.batch = batch;
    this.consumer = consumer;
    this.partition = partition;
    this.epoch = epoch;
    this.offsets = offsets;
    this.next = next;
  }

  commit(dispositions?: readonly Disposition[]): Promise<void> {
    return this.consumer.settle(this, dispositions);
  }
}
