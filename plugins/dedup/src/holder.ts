/**
 * The new messages of one delivery, from its receipt to its commit. Others with the same keys, of this delivery or of
 * another one, wait for what becomes of them.
 */
export class Holder {
  readonly id: number;
  /** The number of the first entry; the others follow it. */
  readonly first: number;
  count = 0;
  isSettled = false;
  /** By position among the new messages: 1 = not accepted. Undefined = all were accepted. */
  private failed: Uint8Array | undefined;
  private waiting: (() => void)[] | undefined;

  constructor(id: number, first: number) {
    this.id = id;
    this.first = first;
  }

  settle(failed: Uint8Array | undefined): void {
    this.failed = failed;
    this.isSettled = true;
    // Those who are woken take themselves off the list.
    for (const wake of [...(this.waiting ?? [])]) wake();
    this.waiting = undefined;
  }

  /** Whether the message of this entry was accepted. Only once it is settled. */
  isAccepted(number: number): boolean {
    return this.failed?.[number - this.first] !== 1;
  }

  /** Calls once it is settled, unless the returned function is called before. */
  onSettled(wake: () => void): () => void {
    const waiting = (this.waiting ??= []);
    waiting.push(wake);
    return () => {
      const at = waiting.indexOf(wake);
      if (at >= 0) waiting.splice(at, 1);
    };
  }
}
