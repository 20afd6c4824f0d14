import { AssertionError } from "node:assert";
import { DEFAULT_DEADLINE_MS } from "./within.ts";

const EAGER_TURNS = 64;
const LONGEST_PAUSE_MS = 20;

/**
 * Waits until `check` gives something other than `undefined`, `null` or `false`, and returns it. For state that no
 * event announces; where there is an event or a promise, wait for that with `within`. Looks again at every turn of the
 * event loop, and only when nothing has come for a while at short pauses. What `check` throws ends the wait.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  what: string,
  ms: number = DEFAULT_DEADLINE_MS,
): Promise<Exclude<T, undefined | null | false>> {
  const end = performance.now() + ms;
  for (let turn = 0; ; turn++) {
    const found = await check();
    if (found !== undefined && found !== null && found !== false) {
      return found as Exclude<T, undefined | null | false>;
    }
    if (performance.now() > end) {
      throw new AssertionError({ message: `${what}: did not happen within ${ms} ms`, stackStartFn: eventually });
    }
    await (turn < EAGER_TURNS ? nextTurn() : pause(Math.min(LONGEST_PAUSE_MS, turn - EAGER_TURNS + 1)));
  }
}

/** Lets the event loop turn, so that everything that waits for nothing outside of the process has run. */
export async function turns(count = 1): Promise<void> {
  for (let i = 0; i < count; i++) await nextTurn();
}

/**
 * Whether a promise is still open after the event loop has turned `count` times. Certain for what runs in the process;
 * for what waits on a network or a disk it can only be a sign.
 */
export async function isPending(promise: PromiseLike<unknown>, count = 32): Promise<boolean> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  promise.then(mark, mark);
  for (let i = 0; i < count && !settled; i++) await nextTurn();
  return !settled;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
