/** Says which calls fail: the one with a number, counted from 1, or all. */
export class Trigger {
  private readonly number: number | undefined;
  private calls = 0;

  constructor(number: number | undefined) {
    this.number = number;
  }

  /** Counts a call; true = it fails. */
  fires(): boolean {
    this.calls += 1;
    return this.number === undefined || this.calls === this.number;
  }
}
