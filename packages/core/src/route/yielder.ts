import { setImmediate as nextTurn } from "node:timers/promises";

const SLICE_MS = 8;
/** The clock is looked at after every call while calls are slow, after this many while they are fast. */
const FAST_CALLS = 16;
const FAST_MS = 1;

/**
 * Gives the event loop a turn now and then. A loop over sources and sinks that are always ready awaits only settled
 * promises; without this, timers, signals and the other routes would never run.
 */
export class Yielder {
  private calls = 0;
  private nextLook = 1;
  private sliceStart = performance.now();
  private lastLook = this.sliceStart;

  /** A promise to await when the slice is used up, else `undefined`. Called once per batch. */
  turn(): Promise<void> | undefined {
    if (++this.calls < this.nextLook) return undefined;
    const now = performance.now();
    this.calls = 0;
    this.nextLook = now - this.lastLook < FAST_MS ? FAST_CALLS : 1;
    this.lastLook = now;
    return now - this.sliceStart < SLICE_MS ? undefined : this.rest();
  }

  private async rest(): Promise<void> {
    await nextTurn();
    this.sliceStart = performance.now();
    this.lastLook = this.sliceStart;
  }
}
