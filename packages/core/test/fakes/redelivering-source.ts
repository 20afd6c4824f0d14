import type { Disposition } from "../../src/contract/disposition.ts";
import type { Consumer, Delivery } from "../../src/contract/endpoint.ts";
import { batchOf } from "../../src/message/batch.ts";
import { Message } from "../../src/message/message.ts";

/** What a fault makes of a call: it rejects, or it never settles. */
export type Fault = () => Promise<void> | void;

/** A source of numbered messages that outlives its connections and delivers again what was not acked. */
export interface RedeliveringSource {
  open(): Consumer;
  /** Called whenever a message is acked. */
  onAck: (text: string) => void;
  beforeReceive: Fault;
  beforeCommit: Fault;
  readonly allAcked: boolean;
}

abstract class Source implements RedeliveringSource {
  onAck: (text: string) => void = () => {};
  beforeReceive: Fault = () => {};
  beforeCommit: Fault = () => {};
  private openings = 0;
  abstract readonly allAcked: boolean;
  protected abstract take(max: number): number[];
  protected abstract settle(taken: readonly number[], dispositions: readonly Disposition[] | undefined): void;
  protected abstract reopen(): void;

  open(): Consumer {
    const opening = ++this.openings;
    const check = (): void => {
      if (opening !== this.openings) throw new Error("this connection is closed");
    };
    this.reopen();
    return {
      receive: async (max): Promise<Delivery> => {
        await this.beforeReceive();
        check();
        const taken = this.take(max);
        return {
          batch: batchOf(taken.map((number) => new Message(String(number)))),
          commit: async (dispositions) => {
            await this.beforeCommit();
            check();
            this.settle(taken, dispositions);
          },
        };
      },
      close: async () => {
        if (opening === this.openings) this.openings += 1;
      },
    };
  }
}

/** Each message is acked for itself; a nacked one comes again last. */
export class QueueSource extends Source {
  private readonly waiting: number[];
  private readonly open_ = new Set<number>();
  private readonly size: () => number;

  constructor(count: number, batchSize: () => number) {
    super();
    this.waiting = Array.from({ length: count }, (_, i) => i);
    this.size = batchSize;
  }

  get allAcked(): boolean {
    return this.waiting.length === 0 && this.open_.size === 0;
  }

  protected take(max: number): number[] {
    const taken = this.waiting.splice(0, Math.min(max, this.size()));
    for (const number of taken) this.open_.add(number);
    return taken;
  }

  protected settle(taken: readonly number[], dispositions: readonly Disposition[] | undefined): void {
    for (const [i, number] of taken.entries()) {
      this.open_.delete(number);
      if (dispositions?.[i]?.type === "nack") this.waiting.push(number);
      else this.onAck(String(number));
    }
  }

  protected reopen(): void {
    this.waiting.unshift(...this.open_);
    this.open_.clear();
  }
}

/**
 * Has one position: a commit moves it behind its batch and so covers everything before, asked or not. From a nack on
 * everything comes again.
 */
export class LogSource extends Source {
  private readonly count: number;
  private readonly size: () => number;
  private position = 0;
  private readTo = 0;
  private lastCommit = -1;
  private lastBatch = -1;
  private rewinds = false;

  constructor(count: number, batchSize: () => number) {
    super();
    this.count = count;
    this.size = batchSize;
  }

  get allAcked(): boolean {
    return this.position === this.count;
  }

  protected take(max: number): number[] {
    if (this.rewinds && this.lastBatch === this.lastCommit) this.reopen();
    const from = this.readTo;
    if (this.rewinds || from === this.count) return [];
    this.lastBatch = from;
    this.readTo = Math.min(this.count, from + Math.min(max, this.size()));
    return Array.from({ length: this.readTo - from }, (_, i) => from + i);
  }

  protected settle(taken: readonly number[], dispositions: readonly Disposition[] | undefined): void {
    const [first] = taken;
    if (first === undefined) return;
    if (first <= this.lastCommit) throw new Error(`commit of ${first} after ${this.lastCommit}`);
    this.lastCommit = first;
    if (this.rewinds) return;
    const nacked = dispositions?.findIndex((one) => one.type === "nack") ?? -1;
    this.moveTo(nacked < 0 ? first + taken.length : first + nacked);
    this.rewinds = nacked >= 0;
  }

  protected reopen(): void {
    this.readTo = this.position;
    this.lastCommit = -1;
    this.lastBatch = -1;
    this.rewinds = false;
  }

  private moveTo(position: number): void {
    for (let number = this.position; number < position; number++) this.onAck(String(number));
    this.position = Math.max(this.position, position);
  }
}
