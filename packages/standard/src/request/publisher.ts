import {
  ACCEPTED,
  batchOf,
  describeError,
  type EndpointStatus,
  kindOf,
  type Logger,
  type Message,
  type MessageBatch,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { closeAll, flushAll } from "../structural/ends.ts";
import { sendPart } from "../structural/send-parts.ts";

export interface RequestSetup {
  readonly to: Publisher;
  readonly forward: Publisher;
  /** The answers and the failures of `to` are discarded. */
  readonly discards: boolean;
  /** `forward` answers the sender. */
  readonly answers: boolean;
  readonly route: string;
  readonly log: Logger;
}

/** Asks `to` with each message and passes the answers on, in the order of the messages, with one send. */
export class RequestPublisher implements Publisher {
  private readonly setup: RequestSetup;
  private failing = false;

  constructor(setup: RequestSetup) {
    this.setup = setup;
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    const asked = await this.ask(batch, signal);
    if (this.setup.discards) return undefined;
    // Nothing answered: there is nothing to pass on.
    if (!asked) return undefined;
    const positions: number[] = [];
    const messages: Message[] = [];
    asked.forEach((outcome, index) => {
      if (outcome.type === "replied") messages.push(outcome.message);
      else if (outcome.type === "failed" && this.isPassedOn(outcome.error, signal)) messages.push(batch.at(index));
      else return;
      positions.push(index);
    });
    if (messages.length === 0) return asked;
    const forwarded = await sendPart(
      { publisher: this.setup.forward, path: "forward_to", batch: batchOf(messages) },
      signal,
    );
    const outcomes = asked.slice();
    positions.forEach((at, i) => {
      outcomes[at] = settled(asked[at]!, forwarded?.[i] ?? ACCEPTED);
    });
    return outcomes;
  }

  flush(): Promise<void> {
    return flushAll([this.setup.to, this.setup.forward]);
  }

  close(): Promise<void> {
    return closeAll([this.setup.to, this.setup.forward]);
  }

  status(): EndpointStatus {
    const { discards } = this.setup;
    const to = this.setup.to.status?.() ?? { healthy: true, target: "" };
    const forward = this.setup.forward.status?.() ?? { healthy: true, target: "" };
    return {
      // What is discarded anyway makes nothing unhealthy.
      healthy: (discards || to.healthy) && forward.healthy,
      target: `${to.target} -> ${forward.target}`,
      ...(!discards && to.error !== undefined ? { error: to.error } : {}),
      details: { to, forward_to: forward },
    };
  }

  private async ask(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    const outcomes = await sendPart({ publisher: this.setup.to, path: "to", batch }, signal);
    this.say(outcomes);
    return outcomes;
  }

  /** Whether the message goes on in the place of its answer. What was given up because of a stop comes again. */
  private isPassedOn(error: unknown, signal: AbortSignal): boolean {
    return !this.setup.answers && !signal.aborted && kindOf(error, "retryable") !== "config";
  }

  /** Warns when requests begin to fail, not with every batch. */
  private say(outcomes: readonly Outcome[] | undefined): void {
    const { log, route, discards, answers } = this.setup;
    const first = outcomes?.find((one) => one.type === "failed");
    if (!first || answers) {
      this.failing = false;
      return;
    }
    const count = outcomes!.filter((one) => one.type === "failed").length;
    const fate = discards ? "the failures are discarded" : "the messages are passed on instead of answers";
    const text = `${count} request(s) failed, ${fate}: ${describeError(first.error)}`;
    log[this.failing ? "debug" : "warn"](text, { route });
    this.failing = true;
  }
}

/** A message that was passed on in the place of its answer must not answer its sender. */
function settled(asked: Outcome, forwarded: Outcome): Outcome {
  return asked.type === "failed" && forwarded.type === "replied" ? asked : forwarded;
}
