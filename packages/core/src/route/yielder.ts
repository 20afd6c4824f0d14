import { setImmediate as nextTurn } from "node:timers/promises";

const SLICE_MS = 8;
const CHECK_EVERY = 16;

/**
 * Gives the event loop a turn now and then. A loop over sources and sinks that are always ready awaits only settled
 * promises; without this, timers, signals and the other routes would never run.
 */
export class Yielder {
  private calls = 0;
  private since = performance.now();

  /** A promise to await when the slice is used up, else `undefined`. Called once per batch. */
  turn(): Promise<void> | undefined {
    if (++this.calls % CHECK_EVERY !== 0) return undefined;
    if (performance.now() - this.since < SLICE_MS) return undefined;
    return this.rest();
  }

  private async rest(): Promise<void> {
    await nextTurn();
    this.since = performance.now();
  }
}
