import type { Clock, Logger } from "@mqb/core/plugin";
import type { PreparedPages } from "../contract.ts";

/** Tells, some time after it was made, that no row with a value that was drawn before then can come any more. */
type Passed = (signal: AbortSignal) => Promise<boolean>;

interface Pending {
  readonly value: string;
  readonly passed: Passed;
  readonly since: number;
  told: boolean;
}

interface HorizonSetup {
  readonly pages: Pick<PreparedPages, "last">;
  /** Made after the value was read that it is of. */
  readonly fence: (signal: AbortSignal) => Promise<Passed>;
  /** Goes no further than to the first value: a reader to the end would never be done beside writers. */
  readonly once: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** What waits, for messages. */
  readonly target: string;
}

/** After this long somebody is told that rows wait. */
const TELL_AFTER_MS = 60_000;

/**
 * Up to which value rows are handed out: whatever is committed later lies behind it. The greatest value is read, then
 * everybody is waited for who may have drawn a smaller one before.
 */
export class Horizon {
  private readonly setup: HorizonSetup;
  private bound: string | undefined;
  private isSpent = false;
  private pending: Pending | undefined;

  constructor(setup: HorizonSetup) {
    this.setup = setup;
  }

  /** Rows are there that wait for it to move on. */
  get isWaiting(): boolean {
    return this.pending !== undefined;
  }

  /** Up to where to read now; undefined = there is nothing to read yet. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    if (this.bound === undefined || this.isSpent) await this.advance(signal);
    return this.isSpent ? undefined : this.bound;
  }

  /** Everything up to it was read. */
  spend(): void {
    this.isSpent = true;
  }

  /** Something before it is read again. */
  reopen(): void {
    this.isSpent = false;
  }

  private async advance(signal: AbortSignal): Promise<void> {
    const { pages, fence, once, clock } = this.setup;
    if (once && this.bound !== undefined) return;
    if (!this.pending) {
      const value = await pages.last(signal);
      if (value === undefined || value === this.bound) return;
      this.pending = { value, passed: await fence(signal), since: clock.monotonic(), told: false };
    }
    const { pending } = this;
    if (!(await pending.passed(signal))) return this.tell(pending);
    this.bound = pending.value;
    this.isSpent = false;
    this.pending = undefined;
  }

  private tell(pending: Pending): void {
    const { clock, log, target } = this.setup;
    if (pending.told || clock.monotonic() - pending.since < TELL_AFTER_MS) return;
    pending.told = true;
    log.warn(
      `rows of ${target} have waited for ${TELL_AFTER_MS / 1000} s: a transaction that is still open may bring smaller values of the cursor`,
    );
  }
}

/** Waits for the transactions that run when it is made. */
export function writersFence(pages: PreparedPages): HorizonSetup["fence"] {
  return async (signal) => {
    let left = await pages.writers!(signal);
    return async (later) => {
      if (left.size === 0) return true;
      const now = await pages.writers!(later);
      left = new Set([...left].filter((writer) => now.has(writer)));
      return left.size === 0;
    };
  };
}

/** Waits for a time, within which everybody is done who had begun before. */
export function lagFence(clock: Clock, lagMs: number): HorizonSetup["fence"] {
  return async () => {
    const end = clock.monotonic() + lagMs;
    return async () => clock.monotonic() >= end;
  };
}
