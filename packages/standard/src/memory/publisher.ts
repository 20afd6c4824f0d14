import type { EndpointStatus, MessageBatch, MqbError, Outcome, Publisher } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { DONE } from "./delivery.ts";
import type { Topic } from "./topic.ts";

/** Sends to a topic. A batch goes in as it is; when the topic is full the sender waits for a slot. */
export class MemoryPublisher implements Publisher {
  readonly topic: Topic;
  /** Ends every wait of this side. */
  private readonly stops = new Set<(error: MqbError) => void>();
  private closed = false;

  constructor(topic: Topic) {
    this.topic = topic;
  }

  send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (this.closed) return Promise.reject(errors.MEMORY_CLOSED({ topic: this.topic.name }));
    if (batch.length === 0 || this.topic.offer(batch)) return DONE;
    return this.waitForSlot(batch, signal);
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    const error = errors.MEMORY_CLOSED({ topic: this.topic.name });
    for (const stop of this.stops) stop(error);
  }

  status(): EndpointStatus {
    const { name, pending, capacity, mode } = this.topic;
    return { healthy: !this.closed, target: name, pending, capacity, details: { mode } };
  }

  /** Rejects when the signal aborts or this side closes first; then the batch is not in the topic. */
  private waitForSlot(batch: MessageBatch, signal: AbortSignal): Promise<undefined> {
    return new Promise((resolve, reject) => {
      const { topic, stops } = this;
      const giveUp = (): void => stop(errors.MEMORY_FULL({ topic: topic.name, capacity: topic.capacity }));
      const forget = (): void => {
        signal.removeEventListener("abort", giveUp);
        stops.delete(stop);
      };
      const waiting = {
        batch,
        accepted: () => {
          forget();
          resolve(undefined);
        },
      };
      const stop = (error: MqbError): void => {
        if (!topic.unblock(waiting)) return;
        forget();
        reject(error);
      };
      if (signal.aborted) {
        reject(errors.MEMORY_FULL({ topic: topic.name, capacity: topic.capacity }));
        return;
      }
      stops.add(stop);
      signal.addEventListener("abort", giveUp, { once: true });
      topic.block(waiting);
    });
  }
}
