import { partitionKey } from "../wire/produce.ts";
import type { ProducerIdentity } from "../wire/record-batch.ts";

const WRAP = 0x8000_0000;

/** Who a producer is to the brokers, and how many records it has numbered in each partition. */
export class Identity {
  readonly producer: ProducerIdentity;
  /** No longer used for anything new. */
  isSpent = false;
  private readonly next = new Map<string, number>();

  constructor(id: string, epoch: number) {
    this.producer = { id: BigInt(id), epoch };
  }

  /** The number of the first of `count` records. They are sent in the order in which they took their numbers. */
  take(topic: string, partition: number, count: number): number {
    const key = partitionKey(topic, partition);
    const first = this.next.get(key) ?? 0;
    this.next.set(key, (first + count) % WRAP);
    return first;
  }
}
