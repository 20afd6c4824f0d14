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

/**
 * Counts permanently failed messages by cause and says what became of failed messages; of each cause only the first times,
 * so that a flood does not hide the rest.
 */
export class Drops {
  private readonly byCode = new Map<string, { count: number; cause: string }>();
  private readonly returns = new Map<string, number>();
  private readonly route: string;
  private readonly log: Logger;

  constructor(route: string, log: Logger) {
    this.route = route;
    this.log = log;
  }

  /** A message failed for good. */
  add(id: string, error: unknown): void {
    const code = codeOf(error) ?? "MQB_UNKNOWN";
    const cause = describeError(error);
    const entry = this.byCode.get(code) ?? { count: 0, cause };
    entry.count += 1;
    this.byCode.set(code, entry);
    if (entry.count > LOGGED_PER_CODE) return;
    const text = `Dropping message ${id} due to non-retryable error: ${cause}${lastOnes(entry.count)}`;
    this.log.error(text, { route: this.route, code, error });
  }

  /** Messages of one batch failed for now and go back to their source. */
  returned(count: number, id: string, error: unknown): void {
    const code = codeOf(error) ?? "MQB_UNKNOWN";
    const times = (this.returns.get(code) ?? 0) + 1;
    this.returns.set(code, times);
    if (times > LOGGED_PER_CODE) return;
    const which = count === 1 ? `Message ${id} goes` : `${count} messages, the first of them ${id}, go`;
    this.log.warn(`${which} back to the source: ${describeError(error)}${lastOnes(times)}`, {
      route: this.route,
      code,
      error,
    });
  }

  list(): DropCount[] {
    return [...this.byCode].map(([code, { count, cause }]) => ({ code, count, cause }));
  }
}

function lastOnes(count: number): string {
  return count === LOGGED_PER_CODE ? " (further ones of this cause are not logged)" : "";
}
