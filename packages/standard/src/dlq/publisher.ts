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
import { failureText } from "./failure-text.ts";
import { type Remembered, redeliveryKey } from "./remembered.ts";
import type { StopWindow } from "./stop-window.ts";

/** What a dlq keeps for its place in the route, across reconnects. */
export interface DlqMemory {
  readonly remembered: Remembered;
  readonly window?: StopWindow;
  /** How many were dead-lettered since the start of the route. */
  letters: number;
  /** Set when there were too many: nothing is sent any more. */
  stopped?: MqbError;
}

export interface DlqSetup {
  readonly inner: Publisher;
  readonly letters: Publisher;
  readonly memory: DlqMemory;
  readonly limits: { readonly window: number; readonly threshold: number; readonly after: number };
  readonly route: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sends what failed for good to the dead-letter endpoint. What may still go through is none of its business. */
export class DlqPublisher implements Publisher {
  private readonly setup: DlqSetup;
  private count = 0;
  /** Dead letters are sent one batch after another, so that any endpoint can take them. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(setup: DlqSetup) {
    this.setup = setup;
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
    if (outcomes) return this.capture(batch, outcomes, signal);
    memory.window?.delivered(batch.length);
    return undefined;
  }

  async flush(): Promise<void> {
    await this.setup.inner.flush?.();
    await this.setup.letters.flush?.();
  }

  async close(): Promise<void> {
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
    const { memory, log, route } = this.setup;
    const result = outcomes.slice();
    const letters: Letter[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.type !== "failed") memory.window?.delivered(1);
      if (outcome.type !== "failed" || !isForGood(outcome.error)) continue;
      const key = redeliveryKey(batch, index);
      if (memory.remembered.has(key)) result[index] = DEAD_LETTERED;
      else if (memory.stopped) result[index] = failed(memory.stopped);
      else {
        letters.push({ index, key, error: outcome.error });
        this.charge(outcome.error);
      }
    }
    if (letters.length === 0) return result;
    const settled = this.turn.then(() => this.sendLetters(batch, letters, signal));
    this.turn = settled;
    (await settled).forEach((outcome, i) => {
      result[letters[i]!.index] = outcome;
    });
    log.warn(`${letters.length} message(s) failed for good; the first one with: ${describeError(letters[0]!.error)}`, {
      route,
    });
    return result;
  }

  /** One outcome per letter. Never rejects. */
  private async sendLetters(
    batch: MessageBatch,
    letters: readonly Letter[],
    signal: AbortSignal,
  ): Promise<readonly Outcome[]> {
    const { clock, route, memory } = this.setup;
    const stamped = letters.map(({ index, error }) =>
      batch.at(index).with({
        metadata: {
          "mq_bridge.dlq.error": failureText(error),
          "mq_bridge.dlq.route": route,
          "mq_bridge.dlq.timestamp_ms": String(clock.now()),
        },
      }),
    );
    let taken: readonly Outcome[] | undefined;
    try {
      taken = await this.setup.letters.send(batchOf(stamped), signal);
    } catch (error) {
      return letters.map((letter) => notTaken(letter, error));
    }
    return letters.map((letter, i) => {
      const outcome = taken?.[i];
      if (outcome?.type === "failed") return notTaken(letter, outcome.error);
      this.count++;
      memory.remembered.add(letter.key);
      return DEAD_LETTERED;
    });
  }

  /** Counts a letter; the one that is too many is still sent. */
  private charge(error: unknown): void {
    const { memory, limits } = this.setup;
    memory.letters += 1;
    const last = describeError(error);
    if (memory.window?.deadLettered()) memory.stopped = errors.DLQ_THRESHOLD({ ...limits, last });
    else if (memory.letters > limits.after) memory.stopped = errors.DLQ_BUDGET({ limit: limits.after, last });
  }
}

interface Letter {
  readonly index: number;
  readonly key: string;
  readonly error: unknown;
}

function isForGood(error: unknown): boolean {
  const kind = kindOf(error, "retryable");
  return kind === "permanent" || (kind === "retryable" && isExhausted(error));
}

/** The message stays with its source: it is nacked, whatever the dead-letter endpoint said about it. */
function notTaken(letter: Letter, error: unknown): Outcome {
  const original = describeError(letter.error);
  if (kindOf(error, "retryable") === "connection")
    return failed(errors.DLQ_UNREACHABLE({ original }, { cause: error }));
  // As a cause, an error whose own retries are exhausted would pass that on.
  const cause = isExhausted(error) ? {} : { cause: error };
  return failed(errors.DLQ_FAILED({ original, dlq: describeError(error) }, cause));
}
