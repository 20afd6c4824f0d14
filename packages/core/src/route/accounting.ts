import type { Drops } from "./drops.ts";

const ENDINGS = ["delivered", "replied", "filtered", "deduplicated", "deadLettered", "dropped", "nacked"] as const;

/** How a received message ended. */
export type Ending = (typeof ENDINGS)[number];

type Counts = Record<Ending | "received" | "inFlight", number>;

export type AccountingSnapshot = Readonly<Counts>;

/**
 * Counts what became of every received message of a route:
 * received = delivered + replied + filtered + deduplicated + deadLettered + dropped + nacked + inFlight, always.
 * `inFlight` is counted, not computed, so that a lost message shows as an imbalance.
 */
export class Accounting {
  private readonly counts = Object.fromEntries(["received", ...ENDINGS, "inFlight"].map((name) => [name, 0])) as Counts;
  private readonly whole: Accounting | undefined;
  /** Where the causes are kept; nobody asks for them of an endpoint that is opened by itself. */
  readonly drops: Drops | undefined;
  private closed = false;
  /** Batches of which something went back to the transport, also those that only a middleware has given back. */
  returns = 0;

  /** A part of `whole` counts there too. */
  constructor(whole?: Accounting, drops = whole?.drops) {
    this.whole = whole;
    this.drops = drops;
  }

  /** Messages came from the source, or more of them were made out of a received one. */
  receive(count: number): void {
    if (this.closed) return;
    this.counts.received += count;
    this.counts.inFlight += count;
    this.whole?.receive(count);
  }

  /** Messages in flight have ended this way. Called once per message, by whoever decides its end. */
  settle(ending: Ending, count: number): void {
    if (this.closed) return;
    this.counts[ending] += count;
    this.counts.inFlight -= count;
    this.whole?.settle(ending, count);
  }

  /** Something of a batch goes back to the transport, whoever has decided that. */
  returned(): void {
    this.returns += 1;
    this.whole?.returned();
  }

  /** Messages in flight have failed for good, the first of them `id`: the route says so, and ends as failed for it. */
  drop(count: number, id: string, error: unknown): void {
    if (!this.closed) this.drops?.add(id, error, count);
    this.settle("dropped", count);
  }

  /**
   * What is in flight is given up: it returns to its source, or is lost where that takes nothing back. Whatever somebody
   * reports after this is ignored.
   */
  close(takesBack: boolean): void {
    this.settle(takesBack ? "nacked" : "dropped", this.counts.inFlight);
    this.closed = true;
  }

  get(name: keyof Counts): number {
    return this.counts[name];
  }

  snapshot(): AccountingSnapshot {
    return { ...this.counts };
  }

  /** 0 when every received message is accounted for. */
  imbalance(): number {
    return this.counts.received - this.counts.inFlight - ENDINGS.reduce((sum, name) => sum + this.counts[name], 0);
  }
}

/**
 * For a source inside another one. What its middlewares take out of a batch never comes out of the outer source, which
 * counts as received what it hands on; so these messages count as received when they end.
 */
export class NestedAccounting extends Accounting {
  override receive(): void {}

  override settle(ending: Ending, count: number): void {
    super.receive(count);
    super.settle(ending, count);
  }
}
