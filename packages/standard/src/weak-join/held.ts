import { ACK, type Delivery, type Disposition } from "@mqb/core/plugin";
import { Deque } from "../batch/deque.ts";

/** A batch of the source of which messages are not settled yet. */
export class Held {
  private readonly delivery: Delivery;
  private open: number;
  private dispositions: Disposition[] | undefined;

  constructor(delivery: Delivery) {
    this.delivery = delivery;
    this.open = delivery.batch.length;
  }

  /** What is kept in memory until it is committed. */
  get bytes(): number {
    return this.delivery.batch.byteLength;
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
  /** Of the batches that are not committed yet. */
  bytes = 0;
  /** Called when there are fewer of them. */
  onFreed: (() => void) | undefined;
  private readonly inOrder: boolean;
  /** In the order of receipt, where that counts. */
  private readonly queue = new Deque<Held>();
  /** Settled and not committed, where it does not. */
  private settled: Held[] = [];
  private turn: Promise<void> = Promise.resolve();

  constructor(inOrder: boolean) {
    this.inOrder = inOrder;
  }

  add(delivery: Delivery): Held {
    const held = new Held(delivery);
    this.bytes += held.bytes;
    if (this.inOrder) this.queue.push(held);
    else if (held.isSettled) this.settled.push(held);
    return held;
  }

  settle(held: Held, index: number, disposition: Disposition): void {
    held.settle(index, disposition);
    if (held.isSettled && !this.inOrder) this.settled.push(held);
  }

  /** Resolves when what can be committed is. Behind a commit that failed nothing is committed any more, where order counts. */
  async commitSettled(): Promise<void> {
    if (!this.inOrder) {
      await Promise.all(this.settled.splice(0).map((held) => this.commit(held)));
      return;
    }
    const turn = this.turn.then(async () => {
      while (this.queue.at(0)?.isSettled) await this.commit(this.queue.shift()!);
    });
    this.turn = turn;
    // Those who come later fail with it too.
    turn.catch(() => {});
    await turn;
  }

  private async commit(held: Held): Promise<void> {
    await held.commit();
    this.bytes -= held.bytes;
    this.onFreed?.();
  }
}
