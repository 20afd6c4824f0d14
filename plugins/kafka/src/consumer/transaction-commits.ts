import { type Clock, kindOf, sleep } from "@mqb/core/plugin";
import type { TransactionLink } from "../transaction-source.ts";
import { type Commits, within } from "./commits.ts";
import type { Partition } from "./partition.ts";

export interface TransactionCommitHost {
  readonly link: TransactionLink;
  readonly clock: Clock;
  failed(error: unknown): void;
}

/** How long positions wait for a transaction that takes them along. */
const WAIT_MS = 200;

/**
 * Positions of an input whose output writes transactions: only those commit. What settles without one, because it was taken out
 * on its way, goes along with the next transaction; where none comes, with one of its own.
 */
export class TransactionCommits implements Commits {
  private readonly host: TransactionCommitHost;
  private readonly dirty = new Set<Partition>();
  private waiting: AbortController | undefined;
  private running: Promise<void> | undefined;
  private held = false;

  constructor(host: TransactionCommitHost) {
    this.host = host;
  }

  /** What is settled and in no transaction yet. */
  pending(): readonly Partition[] {
    for (const one of this.dirty) if (one.isLost || one.settled <= one.committed) this.dirty.delete(one);
    return [...this.dirty];
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
    this.waiting?.abort();
  }

  async flush(limitMs: number): Promise<void> {
    const enough = new AbortController();
    await within(this.host.clock, limitMs, this.flushAll(enough.signal));
    enough.abort();
  }

  /** What settles while one run ends is for the next. */
  private async flushAll(enough: AbortSignal): Promise<void> {
    for (let before = ""; !this.held && !enough.aborted; ) {
      const left = this.pending()
        .map(({ key, committed }) => `${key} ${committed}`)
        .join();
      if (left === "") return;
      this.start();
      // What came to nothing is not tried again at once.
      if (left !== before) this.waiting?.abort();
      before = left;
      await this.running;
    }
  }

  private start(): void {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
      // What settled while it ended.
      if (!this.held && this.pending().length > 0) this.start();
    });
  }

  private async run(): Promise<void> {
    this.waiting = new AbortController();
    await sleep(this.host.clock, WAIT_MS, this.waiting.signal);
    this.waiting = undefined;
    if (this.held || this.pending().length === 0) return;
    try {
      await this.host.link.sink?.commitPositions();
    } catch (error) {
      const kind = kindOf(error, "retryable");
      if (kind !== "connection" && kind !== "config") return;
      this.held = true;
      this.host.failed(error);
    }
  }
}
