import {
  ACCEPTED,
  type Clock,
  type EndpointStatus,
  type Logger,
  type MessageBatch,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { redeliveryKey } from "../dlq/remembered.ts";
import { closeAll, flushAll, statusOf } from "../structural/ends.ts";
import { type Part, sendParts } from "../structural/send-parts.ts";
import { combine, mayComeAgain } from "./combine.ts";
import type { Legs, Taken } from "./taken.ts";

export interface FanoutSetup {
  readonly legs: readonly Publisher[];
  readonly taken: Taken;
  readonly route: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sends each batch to every leg at the same time; legs that have taken a message before do not get it again. */
export class FanoutPublisher implements Publisher {
  private readonly setup: FanoutSetup;
  private severalAnswers = 0;

  constructor(setup: FanoutSetup) {
    this.setup = setup;
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    const { legs, clock } = this.setup;
    const known = this.recall(batch);
    const wanted = legs.map((_, leg) => (known ? notTaken(known, leg) : undefined));
    const parts = legs.flatMap((publisher, leg): Part[] => {
      const positions = wanted[leg];
      if (positions?.length === 0) return [];
      return [{ publisher, path: `[${leg}]`, batch: positions ? batch.select(positions) : batch }];
    });
    const results = await sendParts(parts, signal, clock);
    if (!known && results.every((one) => one === undefined)) return undefined;
    let next = 0;
    const byLeg = wanted.map((positions, leg) => {
      if (!positions) return results[next++];
      const outcomes = known!.map((one) => one?.[leg] ?? ACCEPTED);
      if (positions.length === 0) return outcomes;
      const part = results[next++];
      positions.forEach((at, i) => {
        outcomes[at] = part ? part[i]! : ACCEPTED;
      });
      return outcomes;
    });
    return this.conclude(batch, byLeg);
  }

  flush(): Promise<void> {
    return flushAll(this.setup.legs);
  }

  close(): Promise<void> {
    return closeAll(this.setup.legs);
  }

  status(): EndpointStatus {
    return statusOf("fanout", new Map(this.setup.legs.map((leg, index) => [`[${index}]`, leg])));
  }

  /** What legs took of the messages before; undefined = nothing of any of them. */
  private recall(batch: MessageBatch): (Legs | undefined)[] | undefined {
    const { taken, clock } = this.setup;
    if (taken.size === 0) return undefined;
    taken.tidy(clock.monotonic());
    const keys = Array.from({ length: batch.length }, (_, index) => redeliveryKey(batch, index));
    const known = keys.map((key) => taken.get(key));
    if (known.every((one) => one === undefined)) return undefined;
    // Only after all were looked up: a batch may hold messages that cannot be told apart.
    known.forEach((one, index) => {
      if (one) taken.forget(keys[index]!);
    });
    return known;
  }

  private conclude(batch: MessageBatch, byLeg: readonly (readonly Outcome[] | undefined)[]): readonly Outcome[] {
    const { taken, clock } = this.setup;
    let ignored = 0;
    const outcomes = Array.from({ length: batch.length }, (_, index) => {
      const legs = byLeg.map((one) => one?.[index] ?? ACCEPTED);
      const outcome = combine(legs);
      if (mayComeAgain(outcome)) {
        const had = legs.map((one) => (one.type === "failed" ? undefined : one));
        if (had.some((one) => one !== undefined)) taken.remember(redeliveryKey(batch, index), had, clock.monotonic());
      } else if (legs.filter((one) => one.type === "replied").length > 1) ignored++;
      return outcome;
    });
    if (ignored > 0) this.sayIgnored(ignored);
    return outcomes;
  }

  private sayIgnored(count: number): void {
    const { log, route } = this.setup;
    const level = this.severalAnswers === 0 ? "warn" : "debug";
    this.severalAnswers += count;
    log[level](`several legs of the fanout answered ${count} message(s): only the first answer counts`, { route });
  }
}

/** The positions of the messages that this leg has not taken; undefined = it has taken none. */
function notTaken(known: readonly (Legs | undefined)[], leg: number): Uint32Array | undefined {
  const positions: number[] = [];
  known.forEach((one, index) => {
    if (one?.[leg] === undefined) positions.push(index);
  });
  return positions.length === known.length ? undefined : Uint32Array.from(positions);
}
