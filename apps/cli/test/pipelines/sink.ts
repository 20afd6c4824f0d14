import { ACCEPTED, failed, type Message, type MessageBatch, type Outcome, type Publisher } from "@mqb/core/plugin";
import { busy, cut, type Faults, refused } from "./faults.ts";
import { POISON } from "./pipeline.ts";

/** Keeps the ids that arrived; refuses poison for good, and fails now and then for a while. */
export class Sink {
  /** How often each id arrived. */
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
        if (this.faults.strikes(this.chances.cut)) throw cut();
        const outcomes = Array.from(batch, (message): Outcome => {
          const id = idOf(message);
          if (!this.takesPoison && id % POISON === 0) return failed(refused());
          if (this.faults.strikes(this.chances.busy)) return failed(busy());
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
