import { batchOf, type Delivery, type Disposition, type MessageBatch } from "@mqb/core/plugin";
import type { DecodedBatch } from "@mqb/formats";

/** How far a source was acknowledged without a gap. */
export interface Acked<G> {
  /** The file that it counts in. */
  readonly generation: G;
  /** Offset in the decoded stream behind the last acked record. */
  readonly offset: number;
  /** Records up to there, in this run. */
  readonly records: number;
}

interface Entry<G> {
  readonly batch: MessageBatch;
  readonly generation: G;
  readonly offsetAfter: (index: number) => number;
  /** Offset behind the whole entry. */
  readonly end: number;
  /** Index of the record behind the entry. */
  readonly records: number;
  /** Frees the batch's memory; gone where it may have been looked at in more than one way. */
  release?: (() => void) | undefined;
  state: "out" | "acked" | "back";
}

/**
 * Keeps what was read in the order of the source until it is acked. From its first nacked record on, a delivery
 * goes back and comes out again before anything newer; the acked position moves over a prefix without gaps only.
 */
export class Ledger<G> {
  private readonly entries: Entry<G>[] = [];
  private readonly advanced: (acked: Acked<G>) => Promise<void>;
  /** Entries that wait to come out. */
  private back = 0;
  /** Told after each commit. */
  onSettled: () => void = () => {};

  constructor(advanced: (acked: Acked<G>) => Promise<void>) {
    this.advanced = advanced;
  }

  /** Nothing is out and nothing waits to come out. */
  get empty(): boolean {
    return this.entries.length === 0;
  }

  /** Something waits to come out. */
  get waiting(): boolean {
    return this.back > 0;
  }

  /** Takes in what was read last; it comes out after everything older. `records` counts up to its end. */
  add(decoded: DecodedBatch, generation: G, records: number): void {
    const { batch, offsetAfter, offset: end, release } = decoded;
    this.entries.push({ batch, generation, offsetAfter, end, records, release, state: "back" });
    this.back += 1;
  }

  /** Records the end of something that nobody is to see, e.g. a record that was passed over. */
  async pass(offset: number, generation: G, records: number): Promise<void> {
    this.entries.push({ batch: NOTHING, generation, offsetAfter: () => offset, end: offset, records, state: "acked" });
    await this.advance();
  }

  /** The oldest records that are not out, at most `max`. */
  next(max: number): Delivery | undefined {
    if (this.back === 0) return undefined;
    const at = this.entries.findIndex((entry) => entry.state === "back");
    const entry = this.entries[at]!;
    if (entry.batch.length > max) this.split(at, max);
    const first = this.entries[at]!;
    first.state = "out";
    this.back -= 1;
    return {
      batch: first.batch,
      commit: (dispositions) => this.commit(first, dispositions),
      release: () => this.release(first),
    };
  }

  /** Frees what has not come out, and never will. */
  giveBack(): void {
    for (const entry of this.entries) if (entry.state === "back") this.release(entry);
  }

  /** Takes everything back that is out: whoever had it will not commit it any more. */
  takeBack(): void {
    for (const entry of this.entries) {
      if (entry.state !== "out") continue;
      entry.state = "back";
      // Whoever had it may be about to write it still.
      entry.release = undefined;
      this.back += 1;
    }
  }

  private release(entry: Entry<G>): void {
    const { release } = entry;
    entry.release = undefined;
    release?.();
  }

  private async commit(entry: Entry<G>, dispositions: readonly Disposition[] | undefined): Promise<void> {
    // Taken back before it was committed: it comes out again.
    if (entry.state !== "out") return;
    const nacked = dispositions?.findIndex((one) => one.type === "nack") ?? -1;
    if (nacked < 0) entry.state = "acked";
    else {
      // Whoever had it may look at it still, now and after it has come out again.
      entry.release = undefined;
      const at = this.entries.indexOf(entry);
      let sent = entry;
      if (nacked > 0) {
        this.split(at, nacked);
        this.entries[at]!.state = "acked";
        sent = this.entries[at + 1]!;
      }
      sent.state = "back";
      this.back += 1;
    }
    try {
      await this.advance();
    } finally {
      this.onSettled();
    }
  }

  /** Cuts an entry in two: the first `count` messages and the others. */
  private split(at: number, count: number): void {
    const entry = this.entries[at]!;
    const { batch, generation, offsetAfter, end, records, state } = entry;
    const rest = batch.length - count;
    const release = entry.release && inHalves(entry.release);
    if (state === "back") this.back += 1;
    this.entries.splice(
      at,
      1,
      {
        batch: batch.select(range(0, count)),
        generation,
        offsetAfter,
        end: offsetAfter(count - 1),
        records: records - rest,
        release,
        state,
      },
      {
        batch: batch.select(range(count, batch.length)),
        generation,
        offsetAfter: (index) => offsetAfter(index + count),
        end,
        records,
        release,
        state,
      },
    );
  }

  private async advance(): Promise<void> {
    let last: Entry<G> | undefined;
    let count = 0;
    while (this.entries[count]?.state === "acked") last = this.entries[count++];
    if (!last) return;
    this.entries.splice(0, count);
    await this.advanced({ generation: last.generation, offset: last.end, records: last.records });
  }
}

const NOTHING = batchOf([]);

/** What both parts of a batch call once: the memory is free when nobody looks at either. */
function inHalves(release: () => void): () => void {
  let left = 2;
  return () => {
    left -= 1;
    if (left === 0) release();
  };
}

function range(from: number, to: number): Uint32Array {
  return Uint32Array.from({ length: to - from }, (_, index) => from + index);
}
