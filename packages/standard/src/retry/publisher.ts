import {
  ACCEPTED,
  batchOf,
  type Clock,
  failed,
  isExhausted,
  kindOf,
  type MessageBatch,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { Pauses } from "../pause.ts";
import { wrapPublisher } from "../wrap.ts";
import type { RetrySettings } from "./config.ts";
import { askedWait, pauseBefore } from "./pause-length.ts";

const ATTEMPT = "mq_bridge.retry.attempt";

/**
 * Sends what failed as retryable again, after growing pauses. Everything else passes: connection errors are for the
 * route, which reconnects. What an earlier attempt delivered stays delivered whatever happens to a later one.
 */
export function retryPublisher(
  inner: Publisher,
  settings: RetrySettings,
  clock: Clock,
  retried: (count: number) => void = () => {},
): Publisher {
  const pauses = new Pauses(clock);
  return wrapPublisher(inner, {
    async send(batch, signal) {
      let outcomes: readonly Outcome[] | undefined;
      try {
        outcomes = await inner.send(batch, signal);
      } catch (error) {
        if (!isRetryable(error)) throw error;
        outcomes = allFailed(batch, error);
      }
      if (!outcomes?.some((outcome) => outcome.type === "failed")) return outcomes;
      return new Attempts(batch, outcomes, inner, settings, pauses, retried).finish(signal);
    },
    close() {
      pauses.end();
      return inner.close();
    },
  });
}

/** The attempts after the first one, of a batch of which something failed. */
class Attempts {
  private readonly batch: MessageBatch;
  private readonly outcomes: Outcome[];
  private readonly inner: Publisher;
  private readonly settings: RetrySettings;
  private readonly pauses: Pauses;
  private readonly retried: (count: number) => void;
  /** Positions that can be sent again. */
  private open: number[] = [];
  private askedMs = 0;
  private broken = false;

  constructor(
    batch: MessageBatch,
    outcomes: readonly Outcome[],
    inner: Publisher,
    settings: RetrySettings,
    pauses: Pauses,
    retried: (count: number) => void,
  ) {
    this.batch = batch;
    this.outcomes = outcomes.slice();
    this.inner = inner;
    this.settings = settings;
    this.pauses = pauses;
    this.retried = retried;
    this.lookAt(outcomes.map((_, i) => i));
  }

  async finish(signal: AbortSignal): Promise<readonly Outcome[]> {
    const { max_attempts } = this.settings;
    for (let attempt = 2; attempt <= max_attempts; attempt++) {
      if (this.open.length === 0 || this.broken) return this.outcomes;
      if (!(await this.pauses.wait(pauseBefore(attempt, this.settings, this.askedMs), signal))) return this.outcomes;
      await this.send(attempt, signal);
    }
    if (this.broken) return this.outcomes;
    for (const index of this.open) {
      const { error } = this.outcomes[index] as Extract<Outcome, { type: "failed" }>;
      this.outcomes[index] = failed(
        errors.RETRIES_EXHAUSTED({ attempts: max_attempts }, { cause: error, exhausted: true }),
      );
    }
    return this.outcomes;
  }

  private async send(attempt: number, signal: AbortSignal): Promise<void> {
    const positions = this.open;
    this.retried(positions.length);
    const metadata = { [ATTEMPT]: String(attempt) };
    const again = batchOf(positions.map((index) => this.batch.at(index).with({ metadata })));
    let results: readonly Outcome[] | undefined;
    try {
      results = await this.inner.send(again, signal);
    } catch (error) {
      // The others were delivered by an earlier attempt, so this may not become a failure of the whole batch.
      results = allFailed(again, error);
    }
    positions.forEach((index, i) => {
      this.outcomes[index] = results ? results[i]! : ACCEPTED;
    });
    this.lookAt(positions);
  }

  private lookAt(positions: readonly number[]): void {
    this.open = [];
    this.askedMs = 0;
    for (const index of positions) {
      const outcome = this.outcomes[index]!;
      if (outcome.type !== "failed") continue;
      if (isRetryable(outcome.error)) {
        this.open.push(index);
        this.askedMs = Math.max(this.askedMs, askedWait(outcome.error));
      } else if (kindOf(outcome.error, "retryable") !== "permanent") this.broken = true;
    }
  }
}

/** Exhausted by an inner `retry`, it is not tried again by an outer one. */
function isRetryable(error: unknown): boolean {
  return kindOf(error, "retryable") === "retryable" && !isExhausted(error);
}

function allFailed(batch: MessageBatch, error: unknown): Outcome[] {
  return new Array<Outcome>(batch.length).fill(failed(error));
}
