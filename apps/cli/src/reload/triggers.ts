import { unwatchFile, watchFile } from "node:fs";
import type { Clock } from "@mqb/core/plugin";

const LOOK_EVERY_MS = 500;
/** Longer than from one look to the next. */
const QUIET_MS = 600;

/**
 * Calls `changed` when one of the files was written, replaced, removed or made. Looks at them twice a second: that also
 * sees an editor's rename, and files on a network. Returns what ends it.
 */
export function watchFiles(paths: readonly string[], changed: () => void): () => void {
  const listeners = paths.map((path) => {
    const listener = (now: { mtimeMs: number; ino: number; size: number }, before: typeof now): void => {
      if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino || now.size !== before.size) changed();
    };
    watchFile(path, { interval: LOOK_EVERY_MS, persistent: false }, listener);
    return () => unwatchFile(path, listener);
  });
  return () => {
    for (const end of listeners) end();
  };
}

/** Acts when nobody has asked for it for a moment: several saves in a row are one change. `end` forgets what was asked. */
export function whenQuiet(clock: Clock, act: () => void): { ask(): void; end(): void } {
  let cancel = (): void => {};
  return {
    ask() {
      cancel();
      cancel = clock.timer(QUIET_MS, act);
    },
    end: () => cancel(),
  };
}

/** Runs `work` for every request, one at a time; requests that come meanwhile make one more run. */
export function oneAtATime(work: () => Promise<void>): { request(): void; idle(): Promise<void> } {
  let running: Promise<void> | undefined;
  let again = false;
  const run = async (): Promise<void> => {
    do {
      again = false;
      await work();
    } while (again);
    running = undefined;
  };
  return {
    request() {
      if (running) again = true;
      else running = run();
    },
    idle: () => running ?? Promise.resolve(),
  };
}
