import { type Clock, sleep } from "@mqb/core/plugin";
import type { CommittedOffset, GroupMember, Turn } from "./group.ts";
import type { Partition } from "./partition.ts";

export interface CommitHost {
  readonly member: GroupMember;
  readonly clock: Clock;
  failed(error: unknown): void;
  /** The group shares out anew, or has gone on without us. */
  turned(turn: Turn): void;
}

/**
 * Commits the settled positions of partitions, one request at a time: what settles while one is on its way goes into the next.
 * Positions of partitions that are lost are never sent.
 */
export class Commits {
  private readonly host: CommitHost;
  private readonly dirty = new Set<Partition>();
  private running: Promise<void> | undefined;
  /** A rebalance is under way: positions wait for the next generation. */
  private held = false;

  constructor(host: CommitHost) {
    this.host = host;
  }

  add(partition: Partition): void {
    this.dirty.add(partition);
    if (!this.held) this.start();
  }

  /** Positions of partitions that have stayed go on. */
  resume(): void {
    this.held = false;
    if (this.dirty.size > 0) this.start();
  }

  hold(): void {
    this.held = true;
  }

  /** Resolves when everything is sent that can be, or after `limitMs`. */
  async flush(limitMs: number): Promise<void> {
    if (this.dirty.size > 0 && !this.running) this.start();
    if (!this.running) return;
    const done = new AbortController();
    await Promise.race([this.running, sleep(this.host.clock, limitMs, done.signal)]);
    done.abort();
  }

  private start(): void {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
  }

  private async run(): Promise<void> {
    const { member } = this.host;
    while (this.dirty.size > 0) {
      const sent: Partition[] = [...this.dirty].filter((one) => !one.isLost);
      this.dirty.clear();
      if (sent.length === 0) return;
      const offsets: CommittedOffset[] = sent.map(({ topic, number, settled }) => ({
        topic,
        partition: number,
        offset: settled,
      }));
      try {
        const turn = await member.commit(offsets);
        if (turn === undefined) {
          for (const [i, one] of sent.entries()) one.committed = Math.max(one.committed, offsets[i]!.offset);
          continue;
        }
        if (turn === "rebalance") {
          for (const one of sent) this.dirty.add(one);
          this.held = true;
        }
        return this.host.turned(turn);
      } catch (error) {
        return this.host.failed(error);
      }
    }
  }
}
