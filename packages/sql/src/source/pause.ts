import { type Clock, sleep } from "@mqb/core/plugin";

/** The pauses of a source that finds nothing: the first one again and again, or doubled up to a ceiling. */
export class Pauses {
  private readonly clock: Clock;
  private readonly first: number;
  private readonly most: number;
  private next: number;

  constructor(clock: Clock, first: number, most: number | undefined) {
    this.clock = clock;
    this.first = first;
    this.most = Math.max(first, most ?? first);
    this.next = first;
  }

  reset(): void {
    this.next = this.first;
  }

  /** False when the signal ended it. */
  wait(signal: AbortSignal): Promise<boolean> {
    const pause = this.next;
    this.next = Math.min(this.most, Math.max(1, pause * 2));
    return sleep(this.clock, pause, signal);
  }
}
