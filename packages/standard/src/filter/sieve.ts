import {
  type Accounting,
  describeError,
  type ExpressionCompiler,
  type Logger,
  type MessageBatch,
  type Predicate,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { NeverTrue } from "../expressions/never-true.ts";
import type { FilterSettings } from "./config.ts";

/** The compiled expression of a filter, with what happens to messages that it cannot be evaluated for. */
export class Sieve {
  private readonly predicate: Predicate;
  private readonly never: NeverTrue;
  private readonly settings: FilterSettings;
  private readonly log: Logger;
  private readonly route: string;
  private ended = false;

  /** Throws what the compiler throws. */
  constructor(settings: FilterSettings, compiler: ExpressionCompiler, log: Logger, route: string) {
    this.predicate = compiler.predicate(settings.expression);
    this.never = new NeverTrue(this.predicate);
    this.settings = settings;
    this.log = log;
    this.route = route;
  }

  /** Positions to keep; undefined = all. Throws FILTER_FAILED, which ends the route, with `on_error: fail`. */
  keep(batch: MessageBatch): Uint32Array | undefined {
    const { matched, failed } = this.predicate.test(batch);
    this.never.note(batch, matched.length);
    if (failed && failed.length > 0) {
      const [first] = failed;
      const reason = describeError(first!.error);
      const { expression, on_error } = this.settings;
      if (on_error === "fail") {
        const params = { expression, failed: failed.length, length: batch.length, reason };
        throw errors.FILTER_FAILED(params, { cause: first!.error });
      }
      this.log.warn(`the filter dropped ${failed.length} message(s) that it could not be evaluated for: ${reason}`, {
        route: this.route,
        expression,
      });
    }
    return matched.length === batch.length ? undefined : matched;
  }

  /** At the end of everything that there was: says so when nothing was kept because a field is nowhere. */
  end(): void {
    const why = this.ended ? undefined : this.never.explain();
    this.ended = true;
    if (why === undefined) return;
    const { route, settings } = this;
    this.log.warn(`the filter has kept ${why}; is a name misspelt?`, { route, expression: settings.expression });
  }
}

/** Tells the accounting that messages of a received batch end here. */
export function settleFiltered(accounting: Accounting, count: number): void {
  if (count > 0) accounting.settle("filtered", count);
}
