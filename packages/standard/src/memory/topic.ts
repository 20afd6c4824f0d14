import type { MessageBatch } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { DEFAULT_CAPACITY } from "./capacity.ts";
import { whole } from "./cut.ts";
import { EventLog, Subscriber } from "./log.ts";
import { Queue } from "./queue.ts";
import { Replies } from "./replies.ts";

/** A send that waits for a slot. */
export interface BlockedSend {
  readonly batch: MessageBatch;
  /** The batch has its slot. */
  accepted(): void;
}

/**
 * A place where the routes of a bridge meet. Its first consumer decides whether it is a queue or a log; what was sent
 * before that is kept for it, up to the capacity.
 */
export class Topic {
  readonly name: string;
  /** Consumers that are open. */
  readers = 0;
  /** Requests that wait for their answer. */
  readonly replies = new Replies();
  private given: number | undefined;
  private decided = false;
  private readonly queue = new Queue(() => this.admit());
  private log: EventLog | undefined;
  private readonly blocked = new Set<BlockedSend>();

  constructor(name: string) {
    this.name = name;
  }

  get capacity(): number {
    return this.given ?? DEFAULT_CAPACITY;
  }

  /** Batches that are queued, or that a subscriber has not taken yet. */
  get pending(): number {
    return this.log ? this.log.size : this.queue.pending;
  }

  get mode(): "queue" | "subscribers" {
    return this.log ? "subscribers" : "queue";
  }

  /** A side gives a capacity; the largest one counts. */
  grow(capacity: number | undefined): void {
    if (capacity === undefined) return;
    this.given = Math.max(this.given ?? 0, capacity);
    this.admit();
  }

  /** Throws a `config` error when the topic has subscribers. */
  asQueue(): Queue {
    if (this.log) {
      throw errors.MEMORY_TOPIC_MODE({ topic: this.name, is: "topic with subscribers", wanted: "shared queue" });
    }
    this.decided = true;
    return this.queue;
  }

  /** Throws a `config` error when the topic is a queue. */
  asLog(): EventLog {
    if (this.log) return this.log;
    if (this.decided) {
      throw errors.MEMORY_TOPIC_MODE({ topic: this.name, is: "shared queue", wanted: "topic with subscribers" });
    }
    const batches = this.queue.drain().map((slot) => whole(slot, slot.batch.length - slot.from).batch);
    this.log = new EventLog(batches, () => this.admit());
    return this.log;
  }

  subscriber(): Subscriber {
    return new Subscriber(this.asLog());
  }

  /** Takes the batch if there is a slot for it; when there is one, nobody waits. */
  offer(batch: MessageBatch): boolean {
    if (this.pending >= this.capacity) return false;
    this.put(batch);
    return true;
  }

  /** Takes the batch as soon as there is a slot, in the order of the calls. */
  block(send: BlockedSend): void {
    this.blocked.add(send);
  }

  /** Gives a waiting send up. Returns false when it has its slot already. */
  unblock(send: BlockedSend): boolean {
    return this.blocked.delete(send);
  }

  private put(batch: MessageBatch): void {
    if (this.log) this.log.append(batch);
    else this.queue.append({ batch, from: 0, returns: 0 });
  }

  private admit(): void {
    if (this.blocked.size === 0) return;
    for (const send of this.blocked) {
      if (this.pending >= this.capacity) return;
      this.blocked.delete(send);
      this.put(send.batch);
      send.accepted();
    }
  }
}
