import {
  ACCEPTED,
  API_VERSION,
  batchOf,
  type ConfigSchema,
  type Consumer,
  type Delivery,
  defineEndpoint,
  definePlugin,
  failed,
  type InputCapabilities,
  type Message,
  MqbError,
  type OpenContext,
  type Outcome,
  type OutputCapabilities,
  type Plugin,
  type ProbeFinding,
  type Publisher,
  replied,
} from "@mqb/core/plugin";
import { type Entry, Topic } from "./topic.ts";

export interface QueueConfig {
  readonly topic: string;
  readonly password?: string;
  readonly capacity?: number;
  /** Where the topic is; left out: in the process. */
  readonly server?: Topic;
  /** Sends wait for replies. */
  readonly replies?: boolean;
}

/** What a test changes about the reference connector, to break it. */
export interface Fault {
  readonly consumer?: (inner: Consumer, context: OpenContext, config: QueueConfig) => Consumer;
  readonly publisher?: (inner: Publisher, context: OpenContext, config: QueueConfig) => Publisher;
  readonly input?: Partial<InputCapabilities>;
  readonly output?: Partial<OutputCapabilities>;
  readonly schema?: ConfigSchema<QueueConfig>;
  /** Called when it is probed; the context of these tests is that of an opening. */
  readonly probe?: (topic: Topic, config: QueueConfig) => readonly ProbeFinding[];
}

const KEYS: Readonly<Record<string, string>> = {
  topic: "string",
  password: "string",
  capacity: "number",
  replies: "boolean",
  server: "object",
};

export const QUEUE_SCHEMA: ConfigSchema<QueueConfig> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate(value) {
      const issues = Object.entries(value as object)
        .filter(([key, member]) => KEYS[key] !== typeof member)
        .map(([key]) => ({ message: `"${key}" is not known or of the wrong type`, path: [key] }));
      return issues.length > 0 ? { issues } : { value: value as QueueConfig };
    },
    jsonSchema: { input: () => ({ properties: { password: { type: "string", secret: true } } }) },
  },
};

const REFUSED = failed(new MqbError("MQB_QUEUE_REFUSED", "permanent", "the queue refuses this message"));

/** A queue in the process that does everything right: acks, nacks, any order of commits, replies. */
export function queuePlugin(fault: Fault = {}): Plugin {
  const queue = defineEndpoint<QueueConfig>({
    description: "A queue of a test.",
    schema: fault.schema ?? QUEUE_SCHEMA,
    input: {
      capabilities: (config) => ({
        acknowledges: true,
        commitsInOrder: false,
        replies: config.replies === true,
        stableIds: true,
        replayablePosition: false,
        bounded: true,
        ...fault.input,
      }),
      open(config, context) {
        if (config.topic === "") throw new MqbError("MQB_QUEUE_NO_TOPIC", "config", "the topic has no name");
        const consumer = new QueueConsumer(topicOf(config, context), config, context);
        return fault.consumer?.(consumer, context, config) ?? consumer;
      },
    },
    output: {
      capabilities: (config) => ({
        acknowledges: true,
        replies: config.replies === true,
        orderedPublish: false,
        idempotent: false,
        ...fault.output,
      }),
      open(config, context) {
        const publisher = new QueuePublisher(topicOf(config, context), config);
        return fault.publisher?.(publisher, context, config) ?? publisher;
      },
    },
    async probe(config, context) {
      const topic = topicOf(config, context as OpenContext);
      return fault.probe?.(topic, config) ?? [{ check: "exists", ok: true, detail: `${topic.waiting.length} wait` }];
    },
  });
  return definePlugin({ name: "reference", apiVersion: API_VERSION, endpoints: { queue } });
}

export function topicOf(config: QueueConfig, context: OpenContext): Topic {
  return config.server ?? context.local(`queue ${config.topic}`, () => new Topic(config.capacity));
}

class QueueConsumer implements Consumer {
  private readonly topic: Topic;
  private readonly config: QueueConfig;
  private readonly draining: boolean;
  private readonly closing = new AbortController();
  private readonly taken = new Set<Entry>();

  constructor(topic: Topic, config: QueueConfig, context: OpenContext) {
    this.topic = topic;
    this.config = config;
    this.draining = context.draining;
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    const stop = AbortSignal.any([signal, this.closing.signal]);
    while (this.topic.waiting.length === 0 && !stop.aborted && !this.draining) await this.topic.changed(stop);
    const entries = stop.aborted ? [] : this.topic.take(max);
    for (const entry of entries) this.taken.add(entry);
    return {
      batch: batchOf(entries.map((entry) => entry.message)),
      commit: async (dispositions) => {
        const back: Entry[] = [];
        entries.forEach((entry, i) => {
          if (!this.taken.delete(entry)) return;
          const disposition = dispositions?.[i];
          if (disposition?.type === "nack") back.push(entry);
          else if (disposition?.type === "reply") entry.reply?.(disposition.message);
        });
        if (back.length > 0) this.topic.back(back);
      },
    };
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.topic.back([...this.taken]);
    this.taken.clear();
  }

  status() {
    return { healthy: !this.closing.signal.aborted, target: this.config.topic, pending: this.topic.waiting.length };
  }
}

class QueuePublisher implements Publisher {
  private readonly topic: Topic;
  private readonly config: QueueConfig;

  constructor(topic: Topic, config: QueueConfig) {
    this.topic = topic;
    this.config = config;
  }

  async send(batch: Iterable<Message>, signal: AbortSignal): Promise<readonly Outcome[]> {
    const outcomes: Promise<Outcome>[] = [];
    for (const message of batch) {
      if (message.text() === "refuse me") {
        outcomes.push(Promise.resolve(REFUSED));
        continue;
      }
      while (!this.topic.hasRoom && !signal.aborted) await this.topic.changed(signal);
      if (signal.aborted) outcomes.push(Promise.resolve(failed(signal.reason)));
      else outcomes.push(this.config.replies ? this.request(message) : this.put(message));
    }
    return Promise.all(outcomes);
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {}

  status() {
    return { healthy: true, target: this.config.topic };
  }

  private async put(message: Message): Promise<Outcome> {
    this.topic.put({ message });
    return ACCEPTED;
  }

  private request(message: Message): Promise<Outcome> {
    return new Promise((resolve) => this.topic.put({ message, reply: (answer) => resolve(replied(answer)) }));
  }
}
