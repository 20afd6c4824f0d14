/** Counts how many of the last `window` messages were dead-lettered. */
export class StopWindow {
  private readonly window: number;
  private readonly threshold: number;
  private seen = 0;
  /** Numbers of the dead-lettered messages within the window. */
  private readonly letters: number[] = [];

  constructor(window: number, threshold: number) {
    this.window = window;
    this.threshold = threshold;
  }

  delivered(count: number): void {
    this.seen += count;
  }

  /** Returns whether there are too many now. */
  deadLettered(): boolean {
    this.letters.push(++this.seen);
    while (this.letters[0]! <= this.seen - this.window) this.letters.shift();
    return this.letters.length > this.threshold;
  }
}
