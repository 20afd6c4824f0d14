/**
 * Lets numbered tasks pass one at a time in the order of their numbers. Numbers start at 0 and are used without gaps;
 * each task calls `enter` and later `leave` once. The common case, being in turn, costs no promise.
 */
export class Sequencer {
  private turn = 0;
  private readonly waiting = new Map<number, () => void>();

  /** `undefined` when it is this number's turn already, else a promise that resolves when it is. */
  enter(number: number): Promise<void> | undefined {
    if (number === this.turn) return undefined;
    return new Promise((resolve) => this.waiting.set(number, resolve));
  }

  /** The number's task is done; the next one may pass. */
  leave(number: number): void {
    if (number !== this.turn) throw new Error(`sequencer: ${number} left out of turn ${this.turn}`);
    this.turn += 1;
    const next = this.waiting.get(this.turn);
    if (next) {
      this.waiting.delete(this.turn);
      next();
    }
  }
}
