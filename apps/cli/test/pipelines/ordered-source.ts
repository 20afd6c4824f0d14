import { batchOf, type Consumer, type Delivery, type Message } from "@mqb/core/plugin";
import type { Random } from "@mqb/testkit";
import { cut, type Faults } from "./faults.ts";
import type { Pipeline } from "./pipeline.ts";
import { type Entry, entriesOf, type Source } from "./source.ts";

/**
 * A source that knows one position: what is committed covers everything before it, and a nack takes it back to there. Who
 * commits a later batch before an earlier one, or behind a nack, loses messages that nobody has acknowledged.
 */
export class OrderedSource implements Source {
  readonly entries: readonly Entry[];
  readonly violations: string[] = [];
  private readonly faults: Faults;
  private readonly chances: Pipeline["faults"];
  /** Everything before it was taken for good. */
  private committed = 0;

  constructor(pipeline: Pipeline, faults: Faults, random: Random) {
    this.entries = entriesOf(pipeline, random);
    this.faults = faults;
    this.chances = pipeline.faults;
  }

  get waiting(): number {
    return this.entries.length - this.committed;
  }

  wasAcked(message: Message): boolean {
    return this.entries.findIndex((one) => one.message === message) < this.committed;
  }

  open(): Consumer {
    let next = this.committed;
    let closed = false;
    /** Raised by a nack: what was in flight behind it comes again, and its commits mean nothing. */
    let generation = 0;
    return {
      receive: async (max): Promise<Delivery> => {
        if (this.faults.strikes(this.chances.brokenRead)) throw cut();
        const from = next;
        const given = this.entries.slice(from, from + max);
        next += given.length;
        const own = generation;
        return {
          batch: batchOf(given.map(({ message }) => message)),
          commit: async (dispositions) => {
            if (closed || own !== generation) return;
            if (this.faults.strikes(this.chances.lostCommit)) throw cut();
            if (from > this.committed) this.violations.push(`position ${from} was committed before ${this.committed}`);
            const nacked = given.findIndex((_, index) => dispositions?.[index]?.type === "nack");
            this.committed = from + (nacked < 0 ? given.length : nacked);
            if (nacked < 0) return;
            generation += 1;
            next = this.committed;
          },
        };
      },
      close: async () => {
        closed = true;
      },
    };
  }
}
