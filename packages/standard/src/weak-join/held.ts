import { ACK, type Delivery, type Disposition } from "@mqb/core/plugin";

/** A batch of the source of which messages are not settled yet. */
export class Held {
  readonly delivery: Delivery;
  private open: number;
  private dispositions: Disposition[] | undefined;

  constructor(delivery: Delivery) {
    this.delivery = delivery;
    this.open = delivery.batch.length;
  }

  get isSettled(): boolean {
    return this.open === 0;
  }

  settle(index: number, disposition: Disposition): void {
    this.open -= 1;
    if (disposition === ACK && !this.dispositions) return;
    this.dispositions ??= new Array<Disposition>(this.delivery.batch.length).fill(ACK);
    this.dispositions[index] = disposition;
  }

  commit(): Promise<void> {
    return this.delivery.commit(this.dispositions);
  }
}

/** Commits batches of a source when every message of them is settled: in the order of receipt where the source needs it. */
export class HeldBatches {
  private readonly inOrder: boolean;
  private held: Held[] = [];
  private turn: Promise<void> = Promise.resolve();

  constructor(inOrder: boolean) {
    this.inOrder = inOrder;
  }

  add(delivery: Delivery): Held {
    const held = new Held(delivery);
    this.held.push(held);
    return held;
  }

  /** Resolves when what can be committed is. Behind a commit that failed nothing is committed any more, where order counts. */
  commitSettled(): Promise<void> {
    if (!this.inOrder) return this.commitAny();
    const commit = async (): Promise<void> => {
      while (this.held[0]?.isSettled) await this.held.shift()!.commit();
    };
    this.turn = this.turn.then(commit);
    // The rejection is for the callers, all of them.
    this.turn.catch(() => {});
    return this.turn;
  }

  private async commitAny(): Promise<void> {
    const settled = this.held.filter((one) => one.isSettled);
    if (settled.length === 0) return;
    this.held = this.held.filter((one) => !one.isSettled);
    await Promise.all(settled.map((one) => one.commit()));
  }
}
