import {
  type CheckContext,
  defineEndpoint,
  type Finding,
  type InputCapabilities,
  type OpenContext,
  type OutputCapabilities,
} from "@mqb/core/plugin";
import { type MemorySettings, memorySchema } from "./config.ts";
import { MemoryConsumer } from "./consumer.ts";
import type { Subscriber } from "./log.ts";
import { MemoryPublisher } from "./publisher.ts";
import { RequestPublisher } from "./request-publisher.ts";
import { Topic } from "./topic.ts";

export const memory = defineEndpoint({
  description: "A topic in the memory of the process, where the routes of one bridge meet",
  schema: memorySchema,
  input: {
    capabilities: (config): InputCapabilities => ({
      // What a subscriber has not settled is kept for its route's reconnects, not for a new start of the route.
      acknowledges: config.enable_nack && !config.subscribe_mode,
      commitsInOrder: false,
      replies: true,
      stableIds: true,
      replayablePosition: false,
      bounded: false,
    }),
    open(config, context) {
      const topic = topicOf(config, context);
      const lane = config.subscribe_mode ? subscribe(topic, context) : topic.asQueue();
      const { route, log } = context;
      return new MemoryConsumer(topic, lane, { enableNack: config.enable_nack, route, log });
    },
  },
  output: {
    capabilities: (config): OutputCapabilities => ({
      acknowledges: true,
      replies: config.request_reply,
      orderedPublish: false,
      idempotent: false,
    }),
    open(config, context) {
      const topic = topicOf(config, context);
      if (config.subscribe_mode) topic.asLog();
      const publisher = new MemoryPublisher(topic, context);
      return config.request_reply
        ? new RequestPublisher(publisher, config.request_timeout_ms, context.clock)
        : publisher;
    },
  },
  check,
  probe: async ({ topic }) => [
    { check: "reachable", ok: true, detail: `topic ${topic} of this process`, identity: `memory ${topic}` },
  ],
});

function topicOf(config: MemorySettings, context: OpenContext): Topic {
  const topic = context.local(`memory topic ${config.topic}`, () => new Topic(config.topic));
  topic.grow(config.capacity);
  return topic;
}

/** The subscription of this place in the route: a new one, or the one from before a reconnect. */
function subscribe(topic: Topic, context: OpenContext): Subscriber {
  const key = `memory subscriber ${topic.name}`;
  const before = context.session.get(key) as Subscriber | undefined;
  const subscriber = before ?? topic.subscriber();
  context.session.set(key, subscriber);
  const missed = subscriber.join();
  if (missed > 0) {
    context.log.warn(
      `${missed} batch(es) of the memory topic ${topic.name} were missed while the route was reconnecting`,
      {
        route: context.route,
      },
    );
  }
  return subscriber;
}

function check(config: MemorySettings, { side }: CheckContext): Finding[] {
  const idle = side === "input" ? (["request_reply"] as const) : (["enable_nack"] as const);
  return idle
    .filter((name) => config[name])
    .map((name) => ({
      level: "warning",
      path: [name],
      code: "MQB_STANDARD_MEMORY_OTHER_SIDE",
      message: `"${name}" of a memory endpoint does nothing on an ${side}`,
      hint: `it belongs to the ${side === "input" ? "output" : "input"} of the topic`,
    }));
}
