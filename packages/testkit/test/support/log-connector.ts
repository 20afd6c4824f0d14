import {
  API_VERSION,
  batchOf,
  type Consumer,
  type Delivery,
  defineEndpoint,
  definePlugin,
  type Message,
  MqbError,
  type OpenContext,
  type Plugin,
  type Publisher,
} from "@mqb/core/plugin";
import { type Fault, QUEUE_SCHEMA, type QueueConfig } from "./queue-connector.ts";

/** Messages in an order, and how far they were committed. */
interface Log {
  readonly messages: Message[];
  readonly ids: Set<string>;
  committed: number;
  readonly waiters: Set<() => void>;
}

/** A log in the process that does everything right: positions, commits in order, one writer at a time, no doubles. */
export function logPlugin(fault: Fault = {}): Plugin {
  const log = defineEndpoint<QueueConfig>({
    description: "A log of a test.",
    schema: QUEUE_SCHEMA,
    input: {
      capabilities: () => ({
        acknowledges: true,
        commitsInOrder: true,
        replies: false,
        stableIds: true,
        replayablePosition: true,
        bounded: true,
        ...fault.input,
      }),
      open(config, context) {
        const consumer = new LogConsumer(logOf(config, context), context.draining);
        return fault.consumer?.(consumer, context, config) ?? consumer;
      },
    },
    output: {
      capabilities: () => ({
        acknowledges: true,
        replies: false,
        orderedPublish: true,
        idempotent: true,
        ...fault.output,
      }),
      open(config, context) {
        const publisher = new LogPublisher(logOf(config, context));
        return fault.publisher?.(publisher, context, config) ?? publisher;
      },
    },
  });
  return definePlugin({ name: "reference", apiVersion: API_VERSION, endpoints: { log } });
}

function logOf(config: QueueConfig, context: OpenContext): Log {
  return context.local(`log ${config.topic}`, () => ({
    messages: [],
    ids: new Set(),
    committed: 0,
    waiters: new Set(),
  }));
}

class LogConsumer implements Consumer {
  private readonly log: Log;
  private readonly draining: boolean;
  private position: number;
  private nacked = false;
  private wake: (() => void) | undefined;
  private closed = false;

  constructor(log: Log, draining: boolean) {
    this.log = log;
    this.draining = draining;
    this.position = log.committed;
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    while (
      !this.nacked &&
      this.position >= this.log.messages.length &&
      !signal.aborted &&
      !this.closed &&
      !this.draining
    ) {
      await this.change(signal);
    }
    // As with a broker that only knows one position: what was nacked comes again after a new opening.
    if (this.nacked) throw new MqbError("MQB_LOG_NACKED", "connection", "a message was nacked: read again from there");
    const from = this.position;
    const messages = signal.aborted || this.closed ? [] : this.log.messages.slice(from, from + max);
    this.position += messages.length;
    return {
      batch: batchOf(messages),
      commit: async (dispositions) => {
        if (this.nacked || this.closed)
          throw new MqbError("MQB_LOG_NACKED", "connection", "an older message was nacked");
        const bad = dispositions?.findIndex((one) => one.type === "nack") ?? -1;
        this.log.committed = from + (bad < 0 ? messages.length : bad);
        this.nacked = bad >= 0;
      },
    };
  }

  async close(): Promise<void> {
    this.closed = true;
    this.wake?.();
  }

  status() {
    return { healthy: !this.closed, target: "log", pending: this.log.messages.length - this.position };
  }

  private change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.log.waiters.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.wake = done;
      this.log.waiters.add(done);
      signal.addEventListener("abort", done, { once: true });
    });
  }
}

class LogPublisher implements Publisher {
  private readonly log: Log;
  private busy = false;

  constructor(log: Log) {
    this.log = log;
  }

  async send(batch: Iterable<Message>): Promise<undefined> {
    if (this.busy) throw new Error("a second send at the same time");
    this.busy = true;
    for (const message of batch) {
      if (this.log.ids.has(message.id)) continue;
      this.log.ids.add(message.id);
      this.log.messages.push(message);
    }
    await new Promise((resolve) => setImmediate(resolve));
    this.busy = false;
    for (const wake of [...this.log.waiters]) wake();
  }

  async close(): Promise<void> {}

  status() {
    return { healthy: true, target: "log" };
  }
}
