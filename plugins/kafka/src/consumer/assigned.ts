import { corrupt } from "./fetcher.ts";
import type { Partition, Taken } from "./partition.ts";

/** The partitions that this member has, and whose turn it is: they are read in a circle. */
export class Assigned {
  readonly partitions = new Map<string, Partition>();
  /** Lost ones with deliveries on their way. */
  private readonly lost = new Map<string, Partition>();
  private order: Partition[] = [];

  add(partition: Partition): void {
    this.partitions.set(partition.key, partition);
  }

  /** An earlier membership of the same partition that has deliveries on their way. */
  lostOne(key: string): Partition | undefined {
    return this.lost.get(key);
  }

  lose(partition: Partition): void {
    partition.lose();
    this.partitions.delete(partition.key);
    if (partition.handed > 0) this.lost.set(partition.key, partition);
  }

  loseAll(): void {
    for (const partition of [...this.partitions.values()]) this.lose(partition);
  }

  /** Of a lost one nothing is on its way any more. */
  forget({ key }: Partition): void {
    this.lost.delete(key);
  }

  /** Those that are read from now on. */
  arrange(): readonly Partition[] {
    return (this.order = [...this.partitions.values()]);
  }

  /** Records of the partition whose turn it is. `dropped` is called where all that was read is left out. */
  take(max: number, dropped: () => void): { readonly partition: Partition; readonly taken: Taken } | undefined {
    const { order } = this;
    for (;;) {
      const at = order.findIndex((one) => one.hasRecords);
      if (at < 0) return undefined;
      const partition = order[at]!;
      const taken = this.takeFrom(partition, max);
      if (!taken) {
        dropped();
        continue;
      }
      // The others come before it is its turn again.
      if (order.length > 1 && !(partition.hasRecords && taken.to - taken.from < max))
        this.order = [...order.slice(at + 1), ...order.slice(0, at + 1)];
      return { partition, taken };
    }
  }

  get isDrained(): boolean {
    return this.order.every((one) => one.isDrained);
  }

  /** Something is on its way. */
  get isBusy(): boolean {
    for (const { handed } of this.partitions.values()) if (handed > 0) return true;
    return false;
  }

  get lag(): number {
    let sum = 0;
    for (const { lag } of this.partitions.values()) sum += lag;
    return sum;
  }

  get names(): string[] {
    return Array.from(this.partitions.values(), ({ topic, number }) => `${topic}/${number}`);
  }

  private takeFrom(partition: Partition, max: number): Taken | undefined {
    try {
      return partition.take(max);
    } catch (cause) {
      throw corrupt(cause, partition);
    }
  }
}
