import { type FSWatcher, watch } from "node:fs";
import type { Clock } from "@mqb/core/plugin";

/** A file is looked at this often although nothing was heard: not every file system tells of changes. */
export const POLL_MS = 250;

/** Waits until a file may have changed. */
export class Growth {
  private readonly path: string;
  private readonly clock: Clock;
  private readonly renamed: () => void;
  private watcher: FSWatcher | undefined;
  private heard = false;
  private wake: (() => void) | undefined;

  /** `renamed` is told at once when the file has probably lost its name. */
  constructor(path: string, clock: Clock, renamed: () => void) {
    this.path = path;
    this.clock = clock;
    this.renamed = renamed;
  }

  /** Begins to listen. What happens from now on makes the next `wait` resolve at once. Also after the name got a new file. */
  listen(): void {
    this.watcher?.close();
    try {
      this.watcher = watch(this.path, { persistent: false }, (event) => {
        if (event === "rename") this.renamed();
        this.signal();
      });
      this.watcher.on("error", () => this.unlisten());
    } catch {
      // No such file yet, no more watches, or a file system without them: the poll goes on.
      this.watcher = undefined;
    }
  }

  get listening(): boolean {
    return this.watcher !== undefined;
  }

  /** Resolves when something was heard since the last call, after the poll interval, or when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    if (!this.heard && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          cancel();
          signal.removeEventListener("abort", finish);
          this.wake = undefined;
          resolve();
        };
        const cancel = this.clock.timer(POLL_MS, finish);
        signal.addEventListener("abort", finish, { once: true });
        this.wake = finish;
      });
    }
    this.heard = false;
  }

  /** Makes the present or next `wait` resolve. */
  signal(): void {
    this.heard = true;
    this.wake?.();
  }

  close(): void {
    this.unlisten();
    this.wake?.();
  }

  private unlisten(): void {
    this.watcher?.close();
    this.watcher = undefined;
  }
}
