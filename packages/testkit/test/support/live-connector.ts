import {
  ACCEPTED,
  API_VERSION,
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  defineEndpoint,
  definePlugin,
  failed,
  type Message,
  MqbError,
  type OpenContext,
  type Outcome,
  type Plugin,
  type Publisher,
  replied,
} from "@mqb/core/plugin";
import { QUEUE_SCHEMA, type QueueConfig } from "./queue-connector.ts";
import { Topic } from "./topic.ts";

interface Call {
  readonly message: Message;
  readonly answer: (disposition: Disposition) => void;
}

/** A meeting point like an HTTP server: a send fails when nobody reads, and ends with what becomes of the message. */
interface Hub {
  readers: number;
  readonly topic: Topic;
  readonly calls: Map<Message, Call>;
}

export function livePlugin(): Plugin {
  const live = defineEndpoint<QueueConfig>({
    description: "A server of a test.",
    schema: QUEUE_SCHEMA,
    input: {
      capabilities: () => ({
        acknowledges: true,
        commitsInOrder: false,
        replies: true,
        stableIds: true,
        replayablePosition: false,
        bounded: false,
      }),
      open: ({ topic }, context) => new LiveConsumer(hubOf(topic, context)),
    },
    output: {
      capabilities: () => ({ acknowledges: true, replies: true, orderedPublish: false, idempotent: false }),
      open: ({ topic }, context) => new LivePublisher(hubOf(topic, context)),
    },
  });
  return definePlugin({ name: "reference", apiVersion: API_VERSION, endpoints: { live } });
}

function hubOf(topic: string, context: OpenContext): Hub {
  return context.local(`live ${topic}`, () => ({ readers: 0, topic: new Topic(), calls: new Map() }));
}

class LiveConsumer implements Consumer {
  private readonly hub: Hub;
  private readonly closing = new AbortController();
  private readonly taken = new Set<Message>();

  constructor(hub: Hub) {
    this.hub = hub;
    hub.readers++;
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    const stop = AbortSignal.any([signal, this.closing.signal]);
    while (this.hub.topic.waiting.length === 0 && !stop.aborted) await this.hub.topic.changed(stop);
    const messages = stop.aborted ? [] : this.hub.topic.take(max).map((entry) => entry.message);
    for (const message of messages) this.taken.add(message);
    return {
      batch: batchOf(messages),
      commit: async (dispositions) => {
        for (const [i, message] of messages.entries()) this.answer(message, dispositions?.[i] ?? { type: "ack" });
      },
    };
  }

  async close(): Promise<void> {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    this.hub.readers--;
    for (const message of this.taken) this.answer(message, { type: "nack" });
  }

  status() {
    return { healthy: !this.closing.signal.aborted, target: "live" };
  }

  private answer(message: Message, disposition: Disposition): void {
    if (this.taken.delete(message)) this.hub.calls.get(message)?.answer(disposition);
  }
}

class LivePublisher implements Publisher {
  private readonly hub: Hub;

  constructor(hub: Hub) {
    this.hub = hub;
  }

  send(batch: Iterable<Message>): Promise<readonly Outcome[]> {
    return Promise.all(Array.from(batch, (message) => this.call(message)));
  }

  async close(): Promise<void> {}

  status() {
    return { healthy: true, target: "live" };
  }

  private call(message: Message): Promise<Outcome> {
    if (this.hub.readers === 0) {
      return Promise.resolve(failed(new MqbError("MQB_LIVE_NOBODY", "connection", "nobody reads")));
    }
    return new Promise((resolve) => {
      const answer = (disposition: Disposition): void => {
        this.hub.calls.delete(message);
        if (disposition.type === "reply") resolve(replied(disposition.message));
        else if (disposition.type === "ack") resolve(ACCEPTED);
        else resolve(failed(new MqbError("MQB_LIVE_NACKED", "retryable", "the reader refused it")));
      };
      this.hub.calls.set(message, { message, answer });
      this.hub.topic.put({ message });
    });
  }
}
