import { getOrMake } from "../bridge/get-or-make.ts";
import type { Logger } from "../contract/log.ts";
import { codeOf, describeError } from "../errors/mqb-error.ts";

/** Messages of a route that were dropped for one cause. */
export interface DropCount {
  readonly code: string;
  readonly count: number;
  /** What the first of them failed with. */
  readonly cause: string;
}

const UNKNOWN = "MQB_UNKNOWN";
const LOGGED_PER_CODE = 10;

/**
 * Counts permanently failed messages by cause and says what became of failed messages; of each cause only the first times,
 * so that a flood does not hide the rest.
 */
export class Drops {
  private readonly byCode = new Map<string, { count: number; times: number; cause: string }>();
  private readonly returns = new Map<string, { times: number }>();
  private readonly route: string;
  private readonly log: Logger;

  constructor(route: string, log: Logger) {
    this.route = route;
    this.log = log;
  }

  /** Messages failed for good, the first of them `id`. */
  add(id: string, error: unknown, count = 1): void {
    const cause = describeError(error);
    const entry = getOrMake(this.byCode, codeOf(error) ?? UNKNOWN, () => ({ count: 0, times: 0, cause }));
    entry.count += count;
    entry.times += 1;
    const which = count === 1 ? `message ${id}` : `${count} messages, the first of them ${id},`;
    this.say("error", `Dropping ${which} due to non-retryable error: ${cause}`, error, entry.times);
  }

  /** Messages of one batch failed for now and go back to their source. */
  returned(count: number, id: string, error: unknown): void {
    const entry = getOrMake(this.returns, codeOf(error) ?? UNKNOWN, () => ({ times: 0 }));
    entry.times += 1;
    const which = count === 1 ? `Message ${id} goes` : `${count} messages, the first of them ${id}, go`;
    this.say("warn", `${which} back to the source: ${describeError(error)}`, error, entry.times);
  }

  list(): DropCount[] {
    return [...this.byCode].map(([code, { count, cause }]) => ({ code, count, cause }));
  }

  private say(level: "warn" | "error", text: string, error: unknown, times: number): void {
    if (times > LOGGED_PER_CODE) return;
    const last = times === LOGGED_PER_CODE ? " (further ones of this cause are not logged)" : "";
    this.log[level](text + last, { route: this.route, code: codeOf(error) ?? UNKNOWN, error });
  }
}
