import type { Clock } from "@mqb/core/plugin";

const EVERY_MS = 2000;

/** Keeps one line of a terminal up to date until it is stopped, and then takes the line away. */
export function showProgress(clock: Clock, line: () => string, write: (text: string) => void): () => void {
  let shown = false;
  let cancel = clock.timer(EVERY_MS, tick);
  function tick(): void {
    shown = true;
    write(`\r\x1b[K${line()}`);
    cancel = clock.timer(EVERY_MS, tick);
  }
  return () => {
    cancel();
    if (shown) write("\r\x1b[K");
  };
}
