import type { Consumer, Delivery, Disposition, EndpointStatus, Logger, MessageBatch } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { DONE, MemoryDelivery, NOTHING } from "./delivery.ts";
import type { Lane, Slot, Waiter } from "./lane.ts";
import { CORRELATION_ID } from "./replies.ts";
import type { Topic } from "./topic.ts";

/** After this many returns in a row a message goes behind the others, so that it cannot hold them up for ever. */
const RETURNS_TO_FRONT = 3;

export interface MemoryConsumerSettings {
  readonly enableNack: boolean;
  readonly route: string;
  readonly log: Logger;
  /** Called for each answer that nobody waits for [says so at debug level]. */
  readonly unanswered?: () => void;
}

/** What a consumer needs to know of the topic that its lane belongs to. */
export type ReadTopic = Pick<Topic, "name" | "capacity" | "replies" | "readers"> & { readonly mode: string };

/** Reads a topic. A batch travels as it was sent; only one that is larger than asked for is cut. */
export class MemoryConsumer implements Consumer, Waiter {
  private readonly topic: ReadTopic;
  private readonly lane: Lane;
  private readonly settings: MemoryConsumerSettings;
  /** Delivered and not settled, in order; kept only when they can go back. */
  private readonly outstanding: Set<MemoryDelivery> | undefined;
  private waiting: ((delivery: Delivery) => void) | undefined;
  private max = 0;
  private signal: AbortSignal | undefined;
  private closed = false;
  private lost = 0;

  constructor(topic: ReadTopic, lane: Lane, settings: MemoryConsumerSettings) {
    this.topic = topic;
    this.lane = lane;
    this.settings = settings;
    this.outstanding = settings.enableNack ? new Set() : undefined;
    topic.readers += 1;
  }

  receive(max: number, signal: AbortSignal): Promise<Delivery> {
    if (this.closed) return Promise.reject(errors.MEMORY_CLOSED({ topic: this.topic.name }));
    const slot = this.lane.take(max);
    if (slot) return Promise.resolve(this.deliver(slot));
    if (signal.aborted) return Promise.resolve(NOTHING);
    this.watch(signal);
    return new Promise((resolve) => {
      this.max = max;
      this.waiting = resolve;
      this.lane.await(this);
    });
  }

  wake(): void {
    if (!this.waiting) return;
    const slot = this.lane.take(this.max);
    if (slot) this.answer(this.deliver(slot));
    else this.lane.await(this);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.topic.readers -= 1;
    this.watch(undefined);
    this.stopWaiting();
    if (this.outstanding) this.lane.restore(Array.from(this.outstanding, (delivery) => delivery.slot));
    this.outstanding?.clear();
    this.lane.leave();
  }

  status(): EndpointStatus {
    return {
      healthy: !this.closed,
      target: this.topic.name,
      pending: this.lane.pending,
      capacity: this.topic.capacity,
      details: { mode: this.topic.mode, ...(this.lost > 0 ? { lost: this.lost } : {}) },
    };
  }

  /** Called once by each delivery. */
  settle(delivery: MemoryDelivery, dispositions: readonly Disposition[] | undefined): Promise<void> {
    if (this.outstanding && !this.outstanding.delete(delivery)) {
      return Promise.reject(errors.MEMORY_RETURNED({ topic: this.topic.name }));
    }
    const { batch } = delivery;
    if (dispositions) {
      if (dispositions.length !== batch.length) {
        return Promise.reject(new TypeError(`${dispositions.length} dispositions for a batch of ${batch.length}`));
      }
      this.settleEach(delivery, dispositions);
    } else if (this.topic.replies.size > 0 && this.lane.exclusive) {
      for (let i = 0; i < batch.length; i++) this.topic.replies.settle(batch.metadata(i))?.acknowledged();
    }
    return DONE;
  }

  private settleEach({ batch, slot }: MemoryDelivery, dispositions: readonly Disposition[]): void {
    const { replies } = this.topic;
    const nacked: number[] = [];
    for (let i = 0; i < dispositions.length; i++) {
      const disposition = dispositions[i]!;
      if (disposition.type === "nack") nacked.push(i);
      else if (disposition.type === "reply") this.reply(batch, i, disposition);
      else if (replies.size > 0 && this.lane.exclusive) replies.settle(batch.metadata(i))?.acknowledged();
    }
    if (nacked.length === 0) return;
    if (this.outstanding) this.giveBack(batch, slot.returns + 1, nacked);
    else this.lose(batch, nacked);
  }

  private reply(batch: MessageBatch, index: number, { message }: Extract<Disposition, { type: "reply" }>): void {
    const request = batch.metadata(index);
    const waiting = this.topic.replies.settle(request);
    if (!waiting) {
      const { log, route, unanswered } = this.settings;
      if (unanswered) unanswered();
      else log.debug(`nobody waits for an answer on the memory topic ${this.topic.name}`, { route });
      return;
    }
    const id = request.get(CORRELATION_ID)!;
    const metadata = message.metadata.has(CORRELATION_ID) ? {} : { [CORRELATION_ID]: id };
    waiting.replied(message.with({ metadata, id: batch.id(index) }));
  }

  private giveBack(batch: MessageBatch, returns: number, nacked: readonly number[]): void {
    const part = nacked.length === batch.length ? batch : batch.select(Uint32Array.from(nacked));
    const slot: Slot = { batch: part, from: 0, returns };
    // Also after `close` this is the right place: whoever reads the topic next finds them there.
    if (returns < RETURNS_TO_FRONT) this.lane.restore([slot]);
    else this.lane.append(slot);
  }

  private lose(batch: MessageBatch, nacked: readonly number[]): void {
    const { log, route } = this.settings;
    this.lost += nacked.length;
    log.warn(
      `${nacked.length} nacked message(s) of the memory topic ${this.topic.name} are lost; \`enable_nack: true\` on the input keeps them`,
      { route, lost: this.lost },
    );
    if (this.topic.replies.size === 0) return;
    for (const index of nacked) this.topic.replies.settle(batch.metadata(index))?.refused();
  }

  private deliver(slot: Slot): MemoryDelivery {
    const delivery = new MemoryDelivery(slot, this);
    this.outstanding?.add(delivery);
    return delivery;
  }

  private answer(delivery: Delivery): void {
    const resolve = this.waiting;
    this.waiting = undefined;
    resolve?.(delivery);
  }

  private stopWaiting(): void {
    this.lane.cancel(this);
    this.answer(NOTHING);
  }

  /** A route passes the same signal again and again, so it is listened to once, not once per call. */
  private watch(signal: AbortSignal | undefined): void {
    if (signal === this.signal) return;
    this.signal?.removeEventListener("abort", this.aborted);
    signal?.addEventListener("abort", this.aborted, { once: true });
    this.signal = signal;
  }

  private readonly aborted = (): void => this.stopWaiting();
}
