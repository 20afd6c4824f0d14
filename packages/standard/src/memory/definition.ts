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
import { IpcConsumer } from "./ipc/consumer.ts";
import { probeIpc } from "./ipc/probe.ts";
import { IpcPublisher } from "./ipc/publisher.ts";
import type { Subscriber } from "./log.ts";
import { MemoryPublisher } from "./publisher.ts";
import { RequestPublisher } from "./request-publisher.ts";
import { Topic } from "./topic.ts";

export const memory = defineEndpoint({
  description:
    "A topic in the memory of the process, where the routes of one bridge meet; or a socket, where those of two processes do",
  schema: memorySchema,
  input: {
    capabilities: (config): InputCapabilities => ({
      // What a subscriber has not settled is kept for its route's reconnects, not for a new start of the route. A
      // publisher of another process is told of nothing: what a process had read is lost with it.
      acknowledges: takesBack(config) && !config.subscribe_mode && !config.ipc,
      ...(config.ipc ? { takesBack: takesBack(config) } : {}),
      ...(takesBack(config) || config.subscribe_mode || config.ipc ? {} : { acknowledgesWith: "enable_nack: true" }),
      commitsInOrder: false,
      replies: !config.ipc,
      stableIds: true,
      replayablePosition: false,
      bounded: false,
    }),
    open(config, context) {
      const { ipc, capacity } = config;
      const enableNack = takesBack(config);
      if (ipc) return IpcConsumer.open(ipc, { capacity, enableNack }, context);
      const topic = topicOf(config, context);
      const lane = config.subscribe_mode ? subscribe(topic, context) : topic.asQueue();
      const { route, log } = context;
      return new MemoryConsumer(topic, lane, { enableNack, route, log });
    },
  },
  output: {
    capabilities: (config): OutputCapabilities => ({
      // A socket takes what the consumer has not read yet, and may never read.
      acknowledges: !config.ipc,
      replies: config.request_reply,
      orderedPublish: false,
      idempotent: false,
      keepsNothing: config.ipc !== undefined,
    }),
    open(config, context) {
      if (config.ipc) return IpcPublisher.connect(config.ipc, context);
      const topic = topicOf(config, context);
      if (config.subscribe_mode) topic.asLog();
      const publisher = new MemoryPublisher(topic, context);
      return config.request_reply
        ? new RequestPublisher(publisher, config.request_timeout_ms, context.clock)
        : publisher;
    },
  },
  check,
  probe: async ({ topic, ipc }, context) =>
    ipc
      ? await probeIpc(ipc, context)
      : [{ check: "reachable", ok: true, detail: `topic ${topic} of this process`, identity: `memory ${topic}` }],
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

/** Whether messages that fail go back: between processes unless somebody says otherwise. */
function takesBack({ ipc, enable_nack: nack }: MemorySettings): boolean {
  return nack ?? ipc !== undefined;
}

function check(config: MemorySettings, { side }: CheckContext): Finding[] {
  const { ipc, topic } = config;
  const impossible = ipc ? (["subscribe_mode", "request_reply"] as const).filter((name) => config[name]) : [];
  if (impossible.length > 0) {
    return impossible.map((name) => ({
      level: "error",
      path: [name],
      code: "MQB_STANDARD_MEMORY_ONE_WAY",
      message: `"${name}" of a memory endpoint does not work between processes (${topic})`,
      hint: "messages pass from publishers to one consumer, and nothing comes back; use a broker for more",
    }));
  }
  const other = side === "input" ? "output" : "input";
  const idle = (name: string, level: "warning" | "note"): Finding => ({
    level,
    path: [name],
    code: "MQB_STANDARD_MEMORY_OTHER_SIDE",
    message: `"${name}" of a memory endpoint does nothing on an ${side}${ipc ? " between processes" : ""}`,
    hint: `it belongs to the ${other} of the topic`,
  });
  const found: Finding[] = [];
  if (side === "input" && config.request_reply) found.push(idle("request_reply", "warning"));
  if (side === "output" && config.enable_nack) found.push(idle("enable_nack", "warning"));
  if (side === "output" && ipc && config.capacity !== undefined) found.push(idle("capacity", "note"));
  return found;
}
