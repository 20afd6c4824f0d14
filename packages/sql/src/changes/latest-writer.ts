import type { Logger } from "@mqb/core/plugin";

/** Writes the latest of what it is told, one after another: what comes while a write is on its way goes into the next. */
export class LatestWriter<T> {
  private readonly write: (value: T) => Promise<void>;
  private readonly log: Logger;
  private readonly what: string;
  private waiting: { readonly value: T; readonly done: Promise<void> } | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(write: (value: T) => Promise<void>, log: Logger, what: string) {
    this.write = write;
    this.log = log;
    this.what = what;
  }

  /** Resolves when this value, or a later one, is written. One that cannot be is said, and costs what comes again. */
  save(value: T): Promise<void> {
    if (this.waiting) {
      this.waiting = { value, done: this.waiting.done };
      return this.waiting.done;
    }
    const done = this.running.then(async () => {
      const latest = this.waiting!.value;
      this.waiting = undefined;
      try {
        await this.write(latest);
      } catch (error) {
        this.log.warn(`${this.what} was not stored: after a restart messages may come again`, { error });
      }
    });
    this.waiting = { value, done };
    this.running = done;
    return done;
  }

  /** Everything is written, or was given up. */
  settled(): Promise<void> {
    return this.running;
  }
}
