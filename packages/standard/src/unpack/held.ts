import { ACK, type Delivery, type Disposition, type MessageBatch, reply, type Slab, slabBatch } from "@mqb/core/plugin";
import type { FrameReader } from "./frame-reader.ts";
import { fieldsOf } from "./record-fields.ts";

/** The packed messages of one delivery, of which each has been found sound or was refused. */
export interface Frames extends Pick<Slab, "bytes" | "starts" | "ends"> {
  /** Messages in each; 0 also for those that were refused. */
  readonly counts: Uint32Array;
}

/** A run of messages that lie in one packed message. */
interface Run {
  readonly frame: number;
  readonly count: number;
}

/**
 * A delivery whose messages are handed out in parts. The source hears of it once, when every part has settled: a packed
 * message is acked when all in it are, and nacked when one is.
 */
export class HeldDelivery {
  /** Messages that are not handed out yet. */
  left = 0;
  private readonly delivery: Delivery;
  private readonly frames: Frames;
  private readonly reader: FrameReader;
  /** What becomes of each packed message; undefined = acked. */
  private readonly fates: (Disposition | undefined)[];
  /** Messages that are not settled yet. */
  private open = 0;
  private frame = -1;
  /** Messages of the present frame that are not handed out yet. */
  private leftInFrame = 0;

  /** `reader` belongs to this delivery until everything is handed out. */
  constructor(delivery: Delivery, frames: Frames, reader: FrameReader) {
    this.delivery = delivery;
    this.frames = frames;
    this.reader = reader;
    this.fates = new Array<Disposition | undefined>(frames.counts.length);
    for (const count of frames.counts) this.open += count;
    this.left = this.open;
  }

  /** The next messages, at most `max`. */
  take(max: number): Delivery {
    const count = Math.min(max, this.left);
    const runs: Run[] = [];
    const batch = this.read(count, runs);
    this.left -= count;
    return { batch, commit: (dispositions) => this.settle(runs, count, dispositions) };
  }

  private read(count: number, runs: Run[]): MessageBatch {
    const { bytes } = this.frames;
    const { reader } = this;
    const records = {
      bytes,
      starts: new Uint32Array(count),
      payloadEnds: new Uint32Array(count),
      flags: new Uint8Array(count),
    };
    const starts = new Uint32Array(count);
    for (let index = 0; index < count; ) {
      while (this.leftInFrame === 0) this.nextFrame();
      const run = Math.min(this.leftInFrame, count - index);
      for (const end = index + run; index < end; index++) {
        reader.next();
        records.starts[index] = reader.recordStart;
        records.flags[index] = reader.flags;
        starts[index] = reader.payloadStart;
        records.payloadEnds[index] = reader.payloadEnd;
      }
      runs.push({ frame: this.frame, count: run });
      this.leftInFrame -= run;
    }
    return slabBatch({ bytes, starts, ends: records.payloadEnds }, fieldsOf(records));
  }

  private nextFrame(): void {
    const { bytes, starts, ends, counts } = this.frames;
    this.frame += 1;
    this.leftInFrame = counts[this.frame]!;
    if (this.leftInFrame > 0) this.reader.open(bytes, starts[this.frame]!, ends[this.frame]!);
  }

  /** Resolves at once unless it is the last part: what is not settled yet may wait for the commit of this one. */
  private async settle(
    runs: readonly Run[],
    count: number,
    dispositions: readonly Disposition[] | undefined,
  ): Promise<void> {
    if (dispositions) this.fold(runs, dispositions);
    this.open -= count;
    if (this.open > 0) return;
    const { fates } = this;
    const allAcked = fates.every((fate) => fate === undefined);
    await this.delivery.commit(allAcked ? undefined : Array.from(fates, (fate) => fate ?? ACK));
  }

  private fold(runs: readonly Run[], dispositions: readonly Disposition[]): void {
    let at = 0;
    for (const { frame, count } of runs) {
      for (const end = at + count; at < end; at++) {
        const disposition = dispositions[at]!;
        if (disposition.type === "nack") {
          if (this.fates[frame]?.type !== "nack") this.fates[frame] = disposition;
        } else if (disposition.type === "reply" && this.frames.counts[frame] === 1) {
          // Alone in its packed message, it may answer for it.
          this.fates[frame] = reply(disposition.message);
        }
      }
    }
  }
}
