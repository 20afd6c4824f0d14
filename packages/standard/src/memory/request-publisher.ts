import { randomUUID } from "node:crypto";
import {
  ACCEPTED,
  batchOf,
  type Clock,
  type EndpointStatus,
  failed,
  type Message,
  type MessageBatch,
  type Outcome,
  type Publisher,
  replied,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import type { MemoryPublisher } from "./publisher.ts";
import { CORRELATION_ID } from "./replies.ts";
import type { Topic } from "./topic.ts";

/** Sends to a topic, and waits until every message of the batch has its answer. */
export class RequestPublisher implements Publisher {
  private readonly inner: MemoryPublisher;
  private readonly timeoutMs: number;
  private readonly clock: Clock;
  private readonly open = new Set<Requests>();

  constructor(inner: MemoryPublisher, timeoutMs: number, clock: Clock) {
    this.inner = inner;
    this.timeoutMs = timeoutMs;
    this.clock = clock;
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (batch.length === 0) return undefined;
    const requests = new Requests(batch, this.inner.topic);
    const giveUp = new AbortController();
    const stop = (): void => requests.giveUp();
    const late = (): void => requests.timeOut(this.timeoutMs);
    // Whatever ends the waiting also ends the wait for a slot of the topic.
    const cancel = this.clock.timer(this.timeoutMs, late);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    this.open.add(requests);
    void requests.done.then(() => giveUp.abort());
    try {
      this.inner.send(requests.batch, giveUp.signal).catch((error: unknown) => requests.fail(error));
      return await requests.done;
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
      this.open.delete(requests);
    }
  }

  async close(): Promise<void> {
    await this.inner.close();
    for (const requests of this.open) requests.giveUp();
  }

  status(): EndpointStatus {
    return this.inner.status();
  }
}

/** The requests of one batch. */
class Requests {
  /** What is sent: the messages with their `correlation_id`, without those whose id waits already. */
  readonly batch: MessageBatch;
  /** Resolves when nothing is open any more. */
  readonly done: Promise<readonly Outcome[] | undefined>;
  private readonly topic: Topic;
  private readonly outcomes: (Outcome | undefined)[];
  private readonly waiting = new Map<number, string>();
  private finish!: (outcomes: readonly Outcome[] | undefined) => void;

  constructor(batch: MessageBatch, topic: Topic) {
    this.topic = topic;
    this.outcomes = new Array<Outcome | undefined>(batch.length);
    this.done = new Promise((resolve) => {
      this.finish = resolve;
    });
    const sent: Message[] = [];
    for (let i = 0; i < batch.length; i++) {
      const given = batch.metadata(i).get(CORRELATION_ID);
      const id = given ?? randomUUID();
      const free = topic.replies.wait(id, {
        replied: (message) => this.settle(i, replied(message)),
        acknowledged: () => this.settle(i, ACCEPTED),
        refused: () => this.settle(i, failed(errors.REQUEST_NACKED({ topic: topic.name, correlationId: id }))),
      });
      if (!free) {
        this.outcomes[i] = failed(errors.REQUEST_DUPLICATE({ topic: topic.name, correlationId: id }));
        continue;
      }
      this.waiting.set(i, id);
      const message = batch.at(i);
      sent.push(given === undefined ? message.with({ metadata: { [CORRELATION_ID]: id } }) : message);
    }
    this.batch = batchOf(sent);
    if (sent.length === 0) this.end();
  }

  timeOut(ms: number): void {
    this.failEach((correlationId) => errors.REQUEST_TIMEOUT({ topic: this.topic.name, correlationId, ms }));
  }

  giveUp(): void {
    this.failEach((correlationId) => errors.REQUEST_GIVEN_UP({ topic: this.topic.name, correlationId }));
  }

  fail(error: unknown): void {
    this.failEach(() => error);
  }

  private failEach(error: (correlationId: string) => unknown): void {
    for (const [index, id] of this.waiting) {
      this.topic.replies.forget(id);
      this.outcomes[index] = failed(error(id));
    }
    this.waiting.clear();
    this.end();
  }

  private settle(index: number, outcome: Outcome): void {
    if (!this.waiting.delete(index)) return;
    this.outcomes[index] = outcome;
    if (this.waiting.size === 0) this.end();
  }

  private end(): void {
    const outcomes = this.outcomes as readonly Outcome[];
    this.finish(outcomes.every((outcome) => outcome === ACCEPTED) ? undefined : outcomes);
  }
}
