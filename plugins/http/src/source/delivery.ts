import { batchOf, type Delivery, type Disposition, type MessageBatch } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import type { Entry } from "./entry.ts";

/** Messages of several clients, whose answers are written by its commit. */
export class HttpDelivery implements Delivery {
  readonly batch: MessageBatch;
  readonly entries: readonly Entry[];
  private readonly settled: (delivery: HttpDelivery) => boolean;

  /** `settled` says whether the source still waits for it. */
  constructor(entries: readonly Entry[], settled: (delivery: HttpDelivery) => boolean) {
    this.entries = entries;
    this.batch = batchOf(entries.map((entry) => entry.message));
    this.settled = settled;
  }

  commit(dispositions?: readonly Disposition[]): Promise<void> {
    const { entries } = this;
    if (dispositions && dispositions.length !== entries.length) {
      return Promise.reject(new TypeError(`${dispositions.length} dispositions for a batch of ${entries.length}`));
    }
    if (!this.settled(this)) return Promise.reject(errors.GONE({ target: "the listener" }));
    let writing: Promise<void>[] | undefined;
    for (let i = 0; i < entries.length; i++) {
      const later = settle(entries[i]!, dispositions?.[i]);
      if (later) (writing ??= []).push(later);
    }
    return writing ? Promise.all(writing).then(() => undefined) : DONE;
  }
}

/** One answer that cannot be written is no reason to leave the others out. */
function settle(entry: Entry, disposition: Disposition | undefined): Promise<void> | undefined {
  try {
    return entry.settle(disposition)?.catch(() => entry.spoil());
  } catch {
    entry.spoil();
    return undefined;
  }
}

const DONE = Promise.resolve();

export const NOTHING: Delivery = { batch: batchOf([]), commit: () => DONE };
