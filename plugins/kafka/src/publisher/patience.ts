import type { Clock, MqbError } from "@mqb/core/plugin";
import { isOutOfStep } from "../classify.ts";
import type { ProducerOptions } from "../options/producer.ts";

/** Why something is to be written again: what the broker has answered, or why it has not. */
export type Cause = number | MqbError;

const MAX_OUT_OF_STEP = 5;

/** How long one write goes on trying. */
export class Patience {
  private readonly options: ProducerOptions;
  private readonly clock: Clock;
  private readonly began: number;
  /** Since when nobody answers. */
  private unansweredSince: number | undefined;
  private outOfStep = 0;

  constructor(options: ProducerOptions, clock: Clock) {
    this.options = options;
    this.clock = clock;
    this.began = clock.monotonic();
  }

  /** How long to wait before the next attempt; undefined = it is enough. */
  pauseBefore(causes: readonly Cause[]): number | undefined {
    const { deliveryTimeoutMs, repeatTimeoutMs, retryPauseMs } = this.options;
    const now = this.clock.monotonic();
    if (causes.some((cause) => typeof cause !== "number")) {
      this.unansweredSince ??= now;
      return now - this.unansweredSince > repeatTimeoutMs ? undefined : retryPauseMs;
    }
    this.unansweredSince = undefined;
    if (now - this.began > deliveryTimeoutMs) return undefined;
    const isOut = causes.some((cause) => typeof cause === "number" && isOutOfStep(cause));
    if (!isOut) return retryPauseMs;
    this.outOfStep += 1;
    return this.outOfStep > MAX_OUT_OF_STEP ? undefined : 0;
  }
}
