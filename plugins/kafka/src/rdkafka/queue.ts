import type { Partition } from "../consumer/partition.ts";
import type { RdkafkaMessage } from "./driver.ts";

/** What came and is not handed out yet: records of one partition, or word that it is read to this end. */
interface Entry {
  readonly partition: Partition;
  readonly epoch: number;
  readonly records: readonly RdkafkaMessage[];
  taken: number;
  readonly end: number | undefined;
}

export interface Portion {
  readonly partition: Partition;
  readonly records: readonly RdkafkaMessage[];
  /** Where they were to begin; the library has gone back: that offset does not exist any more. */
  readonly gone: number | undefined;
}

/** Records in the order in which they came, in runs of one partition. What is read again meanwhile is left out. */
export class ReadyQueue {
  private entries: Entry[] = [];

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  add(partition: Partition, record: RdkafkaMessage): void {
    const last = this.entries.at(-1);
    const isSame = last && last.partition === partition && last.epoch === partition.epoch && last.end === undefined;
    if (isSame && last.records.at(-1)!.offset < record.offset) (last.records as RdkafkaMessage[]).push(record);
    else this.entries.push({ partition, epoch: partition.epoch, records: [record], taken: 0, end: undefined });
  }

  /** The partition is read to its end, which lies at this offset. */
  reached(partition: Partition, end: number): void {
    this.entries.push({ partition, epoch: partition.epoch, records: [], taken: 0, end });
  }

  /** Leaves out what came of a partition before it is read again. */
  drop(partition: Partition): void {
    this.entries = this.entries.filter((entry) => entry.partition !== partition || entry.epoch === partition.epoch);
  }

  clear(): void {
    this.entries = [];
  }

  /** The next records, at most `max`. Ends that come before them are noted in their partitions. */
  take(max: number): Portion | undefined {
    for (;;) {
      const first = this.entries[0];
      if (!first) return undefined;
      const { partition, records, end } = first;
      if (partition.isLost || first.epoch !== partition.epoch) {
        this.entries.shift();
        continue;
      }
      // Some of it is on its way still, from before it was read again or came back: it waits for those.
      if (!partition.mayFetch) return undefined;
      if (end !== undefined) {
        this.entries.shift();
        partition.position = Math.max(partition.position, end);
        // Nobody else settles what lies between the last record and the end.
        if (partition.handed === 0) partition.settled = Math.max(partition.settled, partition.position);
        continue;
      }
      const begin = records[first.taken]!.offset;
      const gone = begin < partition.position ? partition.position : undefined;
      if (gone !== undefined) {
        // What is on its way would settle more than there is.
        if (partition.handed > 0) return undefined;
        partition.settled = begin;
        partition.committed = -1;
      }
      const portion = records.slice(first.taken, first.taken + max);
      first.taken += portion.length;
      if (first.taken === records.length) this.entries.shift();
      partition.position = portion.at(-1)!.offset + 1;
      return { partition, records: portion, gone };
    }
  }
}
