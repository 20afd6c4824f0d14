import {
  batchOf,
  type Clock,
  DEAD_LETTERED,
  describeError,
  failed,
  isExhausted,
  kindOf,
  type Logger,
  type MessageBatch,
  type MqbError,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { Summed } from "../summed.ts";
import type { Budget, BudgetLimits } from "./budget.ts";
import { failureText } from "./failure-text.ts";
import { type Remembered, redeliveryKey } from "./remembered.ts";

/** What a dlq keeps for its place in the route, across reconnects. */
export interface DlqMemory {
  readonly remembered: Remembered;
  readonly budget: Budget;
  /** Set when there were too many: nothing is sent any more. */
  stopped?: MqbError;
}

export interface DlqSetup {
  readonly inner: Publisher;
  readonly letters: Publisher;
  readonly memory: DlqMemory;
  readonly limits: BudgetLimits;
  readonly route: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sends what failed for good to the dead-letter endpoint. What may still go through is none of its business. */
export class DlqPublisher implements Publisher {
  private readonly setup: DlqSetup;
  private readonly told: Summed<unknown>;
  private count = 0;
  /** Dead letters are sent one batch after another, so that any endpoint can take them. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(setup: DlqSetup) {
    this.setup = setup;
    this.told = new Summed(setup.clock, (count, first) => {
      const text = `${count} message(s) failed for good; the first one with: ${describeError(first)}`;
      setup.log.warn(text, { route: setup.route });
    });
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    const { inner, memory } = this.setup;
    if (memory.stopped) throw memory.stopped;
    let outcomes: readonly Outcome[] | undefined;
    try {
      outcomes = await inner.send(batch, signal);
    } catch (error) {
      if (!isForGood(error)) throw error;
      outcomes = new Array<Outcome>(batch.length).fill(failed(error));
    }
    if (outcomes?.some(needsLetter)) return this.capture(batch, outcomes, signal);
    memory.budget.delivered(outcomes ? outcomes.filter(({ type }) => type !== "failed").length : batch.length);
    return outcomes;
  }

  willSend(batch: MessageBatch): void {
    if (!this.setup.memory.stopped) this.setup.inner.willSend?.(batch);
  }

  async flush(): Promise<void> {
    await this.setup.inner.flush?.();
    await this.setup.letters.flush?.();
  }

  async close(): Promise<void> {
    this.told.flush();
    try {
      await this.setup.inner.close();
    } finally {
      await this.setup.letters.close();
    }
  }

  status() {
    const inner = this.setup.inner.status?.() ?? { healthy: true, target: "" };
    const letters = this.setup.letters.status?.();
    const details = { ...inner.details, dead_lettered: this.count, ...(letters ? { dlq: letters.target } : {}) };
    return { ...inner, healthy: inner.healthy && (letters?.healthy ?? true), details };
  }

  private async capture(
    batch: MessageBatch,
    outcomes: readonly Outcome[],
    signal: AbortSignal,
  ): Promise<readonly Outcome[]> {
    const settled = this.turn.then(() => this.settle(batch, outcomes, signal));
    this.turn = settled;
    return settled;
  }

  /**
   * Sends no more letters than the budget has room for, until it is used up: only then is it known which were taken, and
   * only those count. Never rejects.
   */
  private async settle(
    batch: MessageBatch,
    outcomes: readonly Outcome[],
    signal: AbortSignal,
  ): Promise<readonly Outcome[]> {
    const result = outcomes.slice();
    const sent: Letter[] = [];
    let refusal: Failed | undefined;
    for (let from = 0; from < outcomes.length; ) {
      const { letters, to } = this.choose(batch, result, from, refusal);
      const answers = await this.sendLetters(batch, letters, signal);
      letters.forEach((letter, i) => {
        const answer = answers[i];
        result[letter.index] = answer ? notTaken(letter.error, answer.error) : DEAD_LETTERED;
        if (!answer) this.setup.memory.remembered.add(letter.key);
      });
      this.charge(outcomes, result, letters, from, to);
      // An endpoint that took none of them is not asked again for the rest.
      if (letters.length > 0 && answers.every((answer) => answer !== undefined)) refusal = answers[0];
      sent.push(...letters);
      from = to;
    }
    if (sent.length > 0) this.told.add(sent.length, sent[0]!.error);
    return result;
  }

  /** The letters from a position on, up to the one that would be too many; settles what needs no letter. */
  private choose(
    batch: MessageBatch,
    result: Outcome[],
    from: number,
    refusal: Failed | undefined,
  ): { readonly letters: readonly Letter[]; readonly to: number } {
    const { memory } = this.setup;
    const budget = memory.budget.copy();
    const letters: Letter[] = [];
    let to = from;
    for (; to < result.length && (memory.stopped || !budget.exceeded()); to++) {
      const outcome = result[to]!;
      if (outcome.type !== "failed") budget.delivered(1);
      if (!needsLetter(outcome)) continue;
      const key = redeliveryKey(batch, to);
      if (memory.remembered.has(key)) result[to] = DEAD_LETTERED;
      else if (memory.stopped) result[to] = failed(memory.stopped);
      else if (refusal) result[to] = notTaken(outcome.error, refusal.error);
      else {
        letters.push({ index: to, key, error: outcome.error });
        budget.deadLettered();
      }
    }
    return { letters, to };
  }

  /** What the dead-letter endpoint said of each letter that it did not take; undefined of the others. Never rejects. */
  private async sendLetters(
    batch: MessageBatch,
    letters: readonly Letter[],
    signal: AbortSignal,
  ): Promise<readonly (Failed | undefined)[]> {
    if (letters.length === 0) return [];
    const { clock, route } = this.setup;
    const stamped = letters.map(({ index, error }) =>
      batch.at(index).with({
        metadata: {
          "mq_bridge.dlq.error": failureText(error),
          "mq_bridge.dlq.route": route,
          "mq_bridge.dlq.timestamp_ms": String(clock.now()),
        },
      }),
    );
    try {
      const taken = await this.setup.letters.send(batchOf(stamped), signal);
      return letters.map((_, i) => {
        const outcome = taken?.[i];
        return outcome?.type === "failed" ? outcome : undefined;
      });
    } catch (error) {
      return new Array<Failed>(letters.length).fill({ type: "failed", error });
    }
  }

  /** Counts what was delivered and the letters that were taken, in the order of the messages. */
  private charge(
    outcomes: readonly Outcome[],
    result: readonly Outcome[],
    letters: readonly Letter[],
    from: number,
    to: number,
  ): void {
    const { memory, limits } = this.setup;
    if (memory.stopped) return;
    let next = 0;
    for (let index = from; index < to; index++) {
      if (outcomes[index]!.type !== "failed") memory.budget.delivered(1);
      if (letters[next]?.index !== index) continue;
      const { error } = letters[next++]!;
      if (result[index]!.type === "failed") continue;
      this.count += 1;
      memory.budget.deadLettered();
      const exceeded = memory.budget.exceeded();
      if (!exceeded) continue;
      const last = describeError(error);
      const { after, window = 0, threshold = 0 } = limits;
      memory.stopped =
        exceeded === "threshold"
          ? errors.DLQ_THRESHOLD({ window, threshold, last })
          : errors.DLQ_BUDGET({ limit: after, last });
    }
  }
}

type Failed = Extract<Outcome, { type: "failed" }>;

interface Letter {
  readonly index: number;
  readonly key: string;
  readonly error: unknown;
}

function needsLetter(outcome: Outcome): outcome is Failed {
  return outcome.type === "failed" && isForGood(outcome.error);
}

function isForGood(error: unknown): boolean {
  const kind = kindOf(error, "retryable");
  return kind === "permanent" || (kind === "retryable" && isExhausted(error));
}

/** The message stays with its source: it is nacked, whatever the dead-letter endpoint said about it. */
function notTaken(failure: unknown, error: unknown): Outcome {
  const original = describeError(failure);
  if (kindOf(error, "retryable") === "connection")
    return failed(errors.DLQ_UNREACHABLE({ original }, { cause: error }));
  // As a cause, an error whose own retries are exhausted would pass that on.
  const cause = isExhausted(error) ? {} : { cause: error };
  return failed(errors.DLQ_FAILED({ original, dlq: describeError(error) }, cause));
}
