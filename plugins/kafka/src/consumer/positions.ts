import type { MessageBatch, Metadata } from "@mqb/core/plugin";
import { kafkaErrors } from "../errors.ts";
import type { TransactionOffsets } from "../transaction-source.ts";
import { SOURCE } from "../wire/names.ts";
import { partitionKey } from "../wire/produce.ts";
import type { CommittedOffset } from "./group.ts";
import type { Partition } from "./partition.ts";

/** A delivery, as far as positions count. */
export interface OpenDelivery {
  readonly batch: MessageBatch;
  readonly partition: Partition;
  readonly epoch: number;
  readonly offsets: Float64Array;
  readonly next: number;
  /** How many of its records are committed by transactions already. */
  transacted: number;
}

/**
 * How far each partition has come with a batch that is written in a transaction: to the first record that was handed out and is
 * neither in it nor in an earlier one. Whoever has taken that one out of the batch settles it later.
 */
export class TransactionPositions {
  private readonly partitions: ReadonlyMap<string, Partition>;
  /** What is settled without a transaction. */
  private readonly pending: () => readonly Partition[];
  /** By the batch that the route was given: most come as they went. */
  private readonly byBatch = new WeakMap<MessageBatch, OpenDelivery>();

  constructor(partitions: ReadonlyMap<string, Partition>, pending: () => readonly Partition[]) {
    this.partitions = partitions;
    this.pending = pending;
  }

  handOut(delivery: OpenDelivery): void {
    this.byBatch.set(delivery.batch, delivery);
  }

  of(batch: MessageBatch, id: string): TransactionOffsets {
    const whole = this.byBatch.get(batch);
    const sent = whole ? new Map([[whole.partition.key, new Set(whole.offsets)]]) : offsetsIn(batch, id);
    const made = new Offsets();
    for (const [key, those] of sent) {
      const partition = this.partitions.get(key);
      if (!partition || partition.isLost) throw unfit(id, "a partition has gone to another member");
      const { position, mark } = walk(partition, those, id);
      made.add(partition, position);
      made.marks.push(mark);
    }
    for (const partition of this.pending()) if (!sent.has(partition.key)) made.add(partition, partition.settled);
    return made;
  }

  /** What is settled, where a transaction has not committed it. */
  settled(): TransactionOffsets {
    const made = new Offsets();
    for (const partition of this.pending()) made.add(partition, partition.settled);
    return made;
  }
}

class Offsets implements TransactionOffsets {
  readonly offsets: CommittedOffset[] = [];
  readonly marks: (() => void)[] = [];

  add(partition: Partition, offset: number): void {
    if (offset <= partition.committed) return;
    this.offsets.push({ topic: partition.topic, partition: partition.number, offset });
    const { epoch } = partition;
    this.marks.push(() => {
      // Of one that is read again meanwhile the group may be told an earlier position once more.
      if (partition.epoch === epoch) partition.committed = Math.max(partition.committed, offset);
    });
  }

  taken(): void {
    for (const mark of this.marks) mark();
  }
}

/** Throws where records would become visible that are read again: those behind others of which nobody knows yet what they become. */
function walk(
  partition: Partition,
  sent: ReadonlySet<number>,
  id: string,
): { readonly position: number; mark(): void } {
  let position = partition.settled;
  let hasGap = false;
  let left = sent.size;
  const marks: (() => void)[] = [];
  for (const delivery of partition.open) {
    const { offsets, next } = delivery;
    let mine = 0;
    for (const offset of offsets) if (sent.has(offset)) mine += 1;
    left -= mine;
    const isCurrent = delivery.epoch === partition.epoch;
    if (mine > 0 && !isCurrent) throw unfit(id, "an earlier message is given back, and these are read again behind it");
    if (mine > 0 && hasGap) throw unfit(id, "earlier messages are neither written nor settled yet");
    if (hasGap || !isCurrent) {
      hasGap = true;
      continue;
    }
    let count = delivery.transacted;
    while (count < offsets.length && sent.has(offsets[count]!)) count += 1;
    marks.push(() => {
      delivery.transacted = count;
    });
    hasGap = count < offsets.length;
    position = hasGap ? offsets[count]! : next;
  }
  if (left > 0) throw unfit(id, "its messages are settled already, or given back");
  const mark = (): void => {
    for (const one of marks) one();
  };
  return { position, mark };
}

function unfit(id: string, reason: string): Error {
  return kafkaErrors.TRANSACTION({ id, what: "be written", reason });
}

function offsetsIn(batch: MessageBatch, id: string): Map<string, Set<number>> {
  const sent = new Map<string, Set<number>>();
  for (let i = 0; i < batch.length; i++) {
    const place = placeOf(batch.metadata(i));
    if (!place) {
      const reason = "a message has no position of its source: something in the route makes messages of its own";
      throw kafkaErrors.NOT_OUR_INPUT({ id, reason });
    }
    const known = sent.get(place.key);
    if (known) known.add(place.offset);
    else sent.set(place.key, new Set([place.offset]));
  }
  return sent;
}

function placeOf(metadata: Metadata): { readonly key: string; readonly offset: number } | undefined {
  const [topic, partition, offset] = [SOURCE.topic, SOURCE.partition, SOURCE.offset].map((name) => metadata.get(name));
  if (topic === undefined || partition === undefined || offset === undefined) return undefined;
  return { key: partitionKey(topic, Number(partition)), offset: Number(offset) };
}
