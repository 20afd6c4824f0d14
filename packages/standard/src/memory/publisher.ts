import type { EndpointStatus, MessageBatch, OpenContext, Outcome, Publisher } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { DONE } from "./delivery.ts";
import type { BlockedSend, Topic } from "./topic.ts";

/** So many signals are listened to before those that no send waits with are forgotten. */
const MAX_SIGNALS = 16;
/** After so long it is said that nobody reads the topic. */
const SAY_AFTER_MS = 5000;

/** Sends to a topic. A batch goes in as it is; when the topic is full the sender waits for a slot. */
export class MemoryPublisher implements Publisher {
  readonly topic: Topic;
  private readonly waiting = new Set<WaitingSend>();
  /** A route passes the same signal again and again, so it is listened to once, not once per send. */
  private readonly signals = new Set<AbortSignal>();
  private readonly context: Pick<OpenContext, "clock" | "log" | "route">;
  private cancelLook: (() => void) | undefined;
  private said = false;
  private closed = false;

  constructor(topic: Topic, context: Pick<OpenContext, "clock" | "log" | "route">) {
    this.topic = topic;
    this.context = context;
  }

  send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (this.closed) return Promise.reject(errors.MEMORY_CLOSED({ topic: this.topic.name }));
    if (batch.length === 0 || this.topic.offer(batch)) return DONE;
    if (signal.aborted) return Promise.reject(this.full());
    this.listen(signal);
    return new Promise((resolve, reject) => {
      const send = new WaitingSend(batch, signal, this.waiting, resolve, reject);
      this.waiting.add(send);
      this.topic.block(send);
      this.lookLater();
    });
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.cancelLook?.();
    for (const signal of this.signals) this.ignore(signal);
    for (const send of this.waiting) this.giveUp(send, errors.MEMORY_CLOSED({ topic: this.topic.name }));
  }

  status(): EndpointStatus {
    const { name, pending, capacity, mode } = this.topic;
    return { healthy: !this.closed, target: name, pending, capacity, details: { mode } };
  }

  private readonly aborted = (): void => {
    for (const send of this.waiting) if (send.signal.aborted) this.giveUp(send, this.full());
  };

  /** A topic that is full because nobody reads it holds its route up for ever, without a failure. */
  private lookLater(): void {
    if (this.said || this.cancelLook) return;
    this.cancelLook = this.context.clock.timer(SAY_AFTER_MS, () => {
      this.cancelLook = undefined;
      if (this.waiting.size === 0) return;
      if (this.topic.readers > 0) return this.lookLater();
      this.said = true;
      const { name, capacity } = this.topic;
      this.context.log.warn(
        `the memory topic ${name} is full (${capacity} batches), and no route of this process reads it: waiting`,
        { route: this.context.route },
      );
    });
  }

  /** The batch is not in the topic then. */
  private giveUp(send: WaitingSend, error: Error): void {
    this.topic.unblock(send);
    this.waiting.delete(send);
    send.reject(error);
  }

  private listen(signal: AbortSignal): void {
    if (this.signals.has(signal)) return;
    if (this.signals.size >= MAX_SIGNALS) {
      const used = new Set(Array.from(this.waiting, (send) => send.signal));
      for (const old of this.signals) if (!used.has(old)) this.ignore(old);
    }
    this.signals.add(signal);
    signal.addEventListener("abort", this.aborted, { once: true });
  }

  private ignore(signal: AbortSignal): void {
    this.signals.delete(signal);
    signal.removeEventListener("abort", this.aborted);
  }

  private full(): Error {
    return errors.MEMORY_FULL({ topic: this.topic.name, capacity: this.topic.capacity });
  }
}

class WaitingSend implements BlockedSend {
  readonly batch: MessageBatch;
  readonly signal: AbortSignal;
  readonly reject: (error: Error) => void;
  private readonly waiting: Set<WaitingSend>;
  private readonly resolve: (outcomes: undefined) => void;

  constructor(
    batch: MessageBatch,
    signal: AbortSignal,
    waiting: Set<WaitingSend>,
    resolve: (outcomes: undefined) => void,
    reject: (error: Error) => void,
  ) {
    this.batch = batch;
    this.signal = signal;
    this.waiting = waiting;
    this.resolve = resolve;
    this.reject = reject;
  }

  accepted(): void {
    this.waiting.delete(this);
    this.resolve(undefined);
  }
}
