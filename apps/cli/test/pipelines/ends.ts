import {
  ACCEPTED,
  batchOf,
  type Consumer,
  type Delivery,
  defineErrors,
  errorRow,
  failed,
  hashId,
  Message,
  type MessageBatch,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { type Pipeline, POISON } from "./pipeline.ts";
import type { Random } from "./random.ts";

type None = Record<string, never>;

const faults = defineErrors("MQB_TEST", {
  BUSY: errorRow<None>({ kind: "retryable", message: () => "the sink is busy" }),
  POISON: errorRow<None>({ kind: "permanent", message: () => "the sink refuses this message" }),
  CUT: errorRow<None>({ kind: "connection", message: () => "the connection is cut" }),
});

/** Faults that pass: their number is limited, so that every pipeline comes to an end. */
export class Faults {
  private readonly random: Random;
  private left: number;

  constructor(random: Random, most: number) {
    this.random = random;
    this.left = most;
  }

  strikes(chance: number): boolean {
    if (this.left <= 0 || this.random() >= chance) return false;
    this.left -= 1;
    return true;
  }
}

/** Messages that come again until they are acknowledged; what became of each. */
export class Source {
  readonly entries: readonly { readonly id: number; readonly k: number; readonly message: Message }[];
  readonly acked = new Set<Message>();
  readonly violations: string[] = [];
  private readonly queue: Message[];
  private readonly faults: Faults;
  private readonly chances: Pipeline["faults"];

  constructor(pipeline: Pipeline, faults: Faults, random: Random) {
    this.faults = faults;
    this.chances = pipeline.faults;
    this.entries = Array.from({ length: pipeline.messages }, (_, n) => {
      // Some come a second time, under an id of their own.
      const id = n > 0 && random() < 0.15 ? Math.floor(random() * n) : n;
      const k = id % 5;
      return { id, k, message: new Message(JSON.stringify({ id, k, n }), undefined, hashId(`m${n}`)) };
    });
    this.queue = this.entries.map(({ message }) => message);
  }

  get waiting(): number {
    return this.queue.length;
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
        if (this.faults.strikes(this.chances.brokenRead)) throw faults.CUT({});
        const messages = this.queue.splice(0, max);
        for (const message of messages) given.add(message);
        let settled = false;
        return {
          batch: batchOf(messages),
          commit: async (dispositions) => {
            if (settled) this.violations.push("a delivery was committed twice");
            settled = true;
            if (closed) return;
            if (this.faults.strikes(this.chances.lostCommit)) throw faults.CUT({});
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

/** Keeps the ids that arrived; refuses poison for good, and fails now and then for a while. */
export class Sink {
  readonly arrived = new Map<number, number>();
  private readonly faults: Faults;
  private readonly chances: { readonly busy: number; readonly cut: number };
  private readonly takesPoison: boolean;

  constructor(faults: Faults, chances: { readonly busy: number; readonly cut: number }, takesPoison = false) {
    this.faults = faults;
    this.chances = chances;
    this.takesPoison = takesPoison;
  }

  open(): Publisher {
    return {
      send: async (batch: MessageBatch) => {
        if (this.faults.strikes(this.chances.cut)) throw faults.CUT({});
        const outcomes = Array.from(batch, (message): Outcome => {
          const id = idOf(message);
          if (!this.takesPoison && id % POISON === 0) return failed(faults.POISON({}));
          if (this.faults.strikes(this.chances.busy)) return failed(faults.BUSY({}));
          this.arrived.set(id, (this.arrived.get(id) ?? 0) + 1);
          return ACCEPTED;
        });
        return outcomes.every((one) => one === ACCEPTED) ? undefined : outcomes;
      },
      close: async () => {},
    };
  }
}

function idOf(message: Message): number {
  const { id } = message.json() as { readonly id: unknown };
  if (typeof id !== "number") throw new TypeError(`a message without its id: ${message.text()}`);
  return id;
}
