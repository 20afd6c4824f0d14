import { type Delivery, type Disposition, slabBatch } from "@mqb/core/plugin";
import { ChangeFields, type FieldOptions } from "./fields.ts";
import type { ChangeLog, Taken } from "./log.ts";

/** What has become of rows that were handed out. */
export interface Settled {
  readonly taken: Taken;
  /** The rows before it are acked. */
  readonly to: number;
  /** The others were given back, and are handed out again. */
  readonly hasNacked: boolean;
  /** The position has moved. */
  readonly hasMoved: boolean;
}

const LINE_BREAK = Buffer.from("\n");
const DONE: Promise<void> = Promise.resolve();

/** Hands out the rows of a log that are ready, as views of it. What is behind a nack is handed out again. */
export class Handout {
  private readonly log: ChangeLog;
  private readonly options: FieldOptions;
  private readonly settled: (settled: Settled) => Promise<void>;
  private epoch = 0;

  constructor(log: ChangeLog, options: FieldOptions, settled: (settled: Settled) => Promise<void>) {
    this.log = log;
    this.options = options;
    this.settled = settled;
  }

  next(max: number): Delivery | undefined {
    const taken = this.log.take(max);
    if (!taken) return undefined;
    const { chunk, from, to } = taken;
    const slab = {
      bytes: chunk.bytes,
      starts: chunk.starts.subarray(from, to),
      ends: chunk.ends.subarray(from, to),
      terminator: LINE_BREAK,
    };
    const { epoch, log } = this;
    log.lend(taken);
    let isBack = false;
    return {
      batch: slabBatch(slab, new ChangeFields(chunk, from, this.options)),
      commit: (dispositions) => this.settle(taken, epoch, dispositions),
      release: () => {
        if (isBack) return;
        isBack = true;
        log.giveBack(taken);
      },
    };
  }

  /** Called once by each delivery, in the order of receipt. */
  private settle(taken: Taken, epoch: number, dispositions: readonly Disposition[] | undefined): Promise<void> {
    // What is behind a nack is handed out again, whatever became of it.
    if (epoch !== this.epoch) return DONE;
    const { log } = this;
    const nacked = dispositions ? dispositions.findIndex(({ type }) => type === "nack") : -1;
    const hasNacked = nacked >= 0;
    const to = hasNacked ? taken.from + nacked : taken.to;
    const before = log.confirmed;
    log.ack(taken, to);
    if (hasNacked) {
      this.epoch++;
      log.rewind();
    }
    return this.settled({ taken, to, hasNacked, hasMoved: log.confirmed !== before });
  }
}
