import type { Logger } from "../contract/log.ts";
import { codeOf, describeError } from "../errors/mqb-error.ts";

/** Messages of a route that were dropped for one cause. */
export interface DropCount {
  readonly code: string;
  readonly count: number;
  /** What the first of them failed with. */
  readonly cause: string;
}

const LOGGED_PER_CODE = 10;

/** Counts permanently failed messages by cause; logs the first ones of each, so that a flood does not hide the rest. */
export class Drops {
  private readonly byCode = new Map<string, { count: number; cause: string }>();
  private readonly log: Logger;

  constructor(log: Logger) {
    this.log = log;
  }

  add(id: string, error: unknown): void {
    const code = codeOf(error) ?? "MQB_UNKNOWN";
    const cause = describeError(error);
    let entry = this.byCode.get(code);
    if (!entry) {
      entry = { count: 0, cause };
      this.byCode.set(code, entry);
    }
    entry.count += 1;
    if (entry.count > LOGGED_PER_CODE) return;
    const more = entry.count === LOGGED_PER_CODE ? " (further ones of this cause are only counted)" : "";
    this.log.error(`Dropping message ${id} due to non-retryable error: ${cause}${more}`, { code });
  }

  list(): DropCount[] {
    return [...this.byCode].map(([code, { count, cause }]) => ({ code, count, cause }));
  }
}
