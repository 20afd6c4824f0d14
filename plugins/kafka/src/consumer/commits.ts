import { type Clock, sleep } from "@mqb/core/plugin";
import type { CommittedOffset, GroupMember, Turn } from "./group.ts";
import type { Partition } from "./partition.ts";

export interface CommitHost {
  readonly member: Pick<GroupMember, "commit">;
  readonly clock: Clock;
  failed(error: unknown): void;
  /** The group shares out anew, or has gone on without us. */
  turned(turn: Turn): void;
}

/** Commits the settled positions of partitions behind the route's back. Positions of partitions that are lost are never sent. */
export interface Commits {
  add(partition: Partition): void;
  /** A rebalance is under way: positions wait for the next generation. */
  hold(): void;
  /** Positions of partitions that have stayed go on. */
  resume(): void;
  /** Resolves when everything is sent that can be, or after `limitMs`. */
  flush(limitMs: number): Promise<void>;
}

/** Commits by the member of the group, one request at a time: what settles while one is on its way goes into the next. */
export class MemberCommits implements Commits {
  private readonly host: CommitHost;
  private readonly dirty = new Set<Partition>();
  private running: Promise<void> | undefined;
  private held = false;

  constructor(host: CommitHost) {
    this.host = host;
  }

  add(partition: Partition): void {
    this.dirty.add(partition);
    if (!this.held) this.start();
  }

  resume(): void {
    this.held = false;
    if (this.dirty.size > 0) this.start();
  }

  hold(): void {
    this.held = true;
  }

  async flush(limitMs: number): Promise<void> {
    if (this.dirty.size > 0 && !this.running) this.start();
    if (this.running) await within(this.host.clock, limitMs, this.running);
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
          for (const [i, one] of sent.entries()) {
            const { offset } = offsets[i]!;
            // Where the partition has begun again before it, the group is to hear of that.
            if (offset <= one.settled) one.committed = Math.max(one.committed, offset);
          }
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

/** Waits for something that does not reject, but not for long. */
export async function within(clock: Clock, limitMs: number, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  await Promise.race([work, sleep(clock, limitMs, done.signal)]);
  done.abort();
}
