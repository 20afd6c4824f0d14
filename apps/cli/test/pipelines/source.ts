import { batchOf, type Consumer, type Delivery, hashId, Message } from "@mqb/core/plugin";
import type { Random } from "@mqb/testkit";
import { cut, type Faults } from "./faults.ts";
import type { Pipeline } from "./pipeline.ts";

/** A message of a source, and what it says. */
export interface Entry {
  readonly id: number;
  readonly k: number;
  readonly message: Message;
}

/** Messages that come again until they are acknowledged. */
export interface Source {
  readonly entries: readonly Entry[];
  /** Breaches of the contract by the route. */
  readonly violations: readonly string[];
  /** Messages that are not acknowledged yet. */
  readonly waiting: number;
  wasAcked(message: Message): boolean;
  open(): Consumer;
}

export function entriesOf({ messages }: Pipeline, random: Random): Entry[] {
  return Array.from({ length: messages }, (_, n) => {
    // Some come a second time, under an id of their own.
    const id = n > 0 && random() < 0.15 ? Math.floor(random() * n) : n;
    const k = id % 5;
    return { id, k, message: new Message(JSON.stringify({ id, k, n }), undefined, hashId(`m${n}`)) };
  });
}

/** A queue: every message is acknowledged by itself, in any order. */
export class Queue implements Source {
  readonly entries: readonly Entry[];
  readonly violations: string[] = [];
  private readonly acked = new Set<Message>();
  private readonly queue: Message[];
  private readonly faults: Faults;
  private readonly chances: Pipeline["faults"];

  constructor(pipeline: Pipeline, faults: Faults, random: Random) {
    this.entries = entriesOf(pipeline, random);
    this.faults = faults;
    this.chances = pipeline.faults;
    this.queue = this.entries.map(({ message }) => message);
  }

  get waiting(): number {
    return this.queue.length;
  }

  wasAcked(message: Message): boolean {
    return this.acked.has(message);
  }

  open(): Consumer {
    const given = new Set<Message>();
    let closed = false;
    const giveBack = (message: Message): void => {
      given.delete(message);
      this.queue.push(message);
    };
    return {
      receive: async (max): Promise<Delivery> => {
        if (this.faults.strikes(this.chances.brokenRead)) throw cut();
        const messages = this.queue.splice(0, max);
        for (const message of messages) given.add(message);
        let settled = false;
        return {
          batch: batchOf(messages),
          commit: async (dispositions) => {
            if (settled) this.violations.push("a delivery was committed twice");
            settled = true;
            if (closed) return;
            if (this.faults.strikes(this.chances.lostCommit)) throw cut();
            for (const [index, message] of messages.entries()) {
              if (dispositions?.[index]?.type === "nack") giveBack(message);
              else if (given.delete(message)) this.acked.add(message);
            }
          },
        };
      },
      close: async () => {
        closed = true;
        for (const message of given) giveBack(message);
      },
    };
  }
}
