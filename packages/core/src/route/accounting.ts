/** How a received message ended. */
export type Ending = "delivered" | "replied" | "filtered" | "deduplicated" | "deadLettered" | "dropped" | "nacked";

export type AccountingSnapshot = Readonly<Record<Ending | "received" | "inFlight", number>>;

/**
 * Counts what became of every received message of a route:
 * received = delivered + replied + filtered + deduplicated + deadLettered + dropped + nacked + inFlight, always.
 * `inFlight` is counted, not computed, so that a lost message shows as an imbalance.
 */
export class Accounting {
  private readonly counts: Record<Ending | "received" | "inFlight", number> = {
    received: 0,
    delivered: 0,
    replied: 0,
    filtered: 0,
    deduplicated: 0,
    deadLettered: 0,
    dropped: 0,
    nacked: 0,
    inFlight: 0,
  };
  private readonly whole: Accounting | undefined;
  private closed = false;

  /** A part of `whole` counts there too. */
  constructor(whole?: Accounting) {
    this.whole = whole;
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

  /** What is in flight is given up and returns to its source; whatever somebody reports after this is ignored. */
  close(): void {
    this.settle("nacked", this.counts.inFlight);
    this.closed = true;
  }

  get(name: Ending | "received" | "inFlight"): number {
    return this.counts[name];
  }

  snapshot(): AccountingSnapshot {
    return { ...this.counts };
  }

  /** 0 when every received message is accounted for. */
  imbalance(): number {
    const c = this.counts;
    const ended = c.delivered + c.replied + c.filtered + c.deduplicated + c.deadLettered + c.dropped + c.nacked;
    return c.received - ended - c.inFlight;
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
