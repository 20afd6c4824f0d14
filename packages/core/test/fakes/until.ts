import { setImmediate as turn } from "node:timers/promises";

const DEADLINE_MS = 5000;

/** Lets everything run that waits for nothing from outside. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await turn();
}

/** Resolves as soon as the condition holds; fails when it does not in good time. */
export async function until(condition: () => boolean, what = String(condition)): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`still not: ${what}`);
    await turn();
  }
}
