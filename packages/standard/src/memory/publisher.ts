import type { EndpointStatus, MessageBatch, Outcome, Publisher } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { DONE } from "./delivery.ts";
import type { BlockedSend, Topic } from "./topic.ts";

/** So many signals are listened to before those that no send waits with are forgotten. */
const MAX_SIGNALS = 16;

/** Sends to a topic. A batch goes in as it is; when the topic is full the sender waits for a slot. */
export class MemoryPublisher implements Publisher {
  readonly topic: Topic;
  private readonly waiting = new Set<WaitingSend>();
  /** A route passes the same signal again and again, so it is listened to once, not once per send. */
  private readonly signals = new Set<AbortSignal>();
  private closed = false;

  constructor(topic: Topic) {
    this.topic = topic;
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
    });
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
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
