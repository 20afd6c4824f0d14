import {
  type CheckContext,
  type Consumer,
  defineEndpoint,
  type Finding,
  type InputCapabilities,
  type OpenContext,
  type OutputCapabilities,
} from "@mqb/core/plugin";
import { MemoryConsumer } from "../memory/consumer.ts";
import { wrapConsumer } from "../wrap.ts";
import { type StreamBufferSettings, streamBufferSchema } from "./config.ts";
import { StreamBufferPublisher } from "./publisher.ts";
import { Streams } from "./streams.ts";

export const streamBuffer = defineEndpoint({
  description: "Streams in the memory of the process, one per correlation id",
  schema: streamBufferSchema,
  structural: true,
  input: {
    capabilities: (): InputCapabilities => ({
      acknowledges: true,
      commitsInOrder: false,
      replies: false,
      stableIds: true,
      replayablePosition: false,
      bounded: false,
    }),
    open: openConsumer,
  },
  output: {
    capabilities: (): OutputCapabilities => ({
      acknowledges: true,
      replies: false,
      orderedPublish: false,
      idempotent: false,
    }),
    open: (settings, context) => new StreamBufferPublisher(streamsOf(settings, context), settings, context),
  },
  check,
  probe: async ({ topic }) => [
    { check: "reachable", ok: true, detail: `buffer ${topic} of this process`, identity: `stream_buffer ${topic}` },
  ],
});

function streamsOf({ topic }: StreamBufferSettings, context: OpenContext): Streams {
  return context.local(`stream_buffer ${topic}`, () => new Streams(topic, context.clock));
}

function openConsumer(settings: StreamBufferSettings, context: OpenContext): Consumer {
  const { route, log } = context;
  const streams = streamsOf(settings, context);
  const stream = streams.get(settings.correlation_id ?? "", settings.capacity, settings.idle_ttl_secs * 1000);
  const consumer = new MemoryConsumer(stream.topic, stream.topic.asQueue(), { enableNack: true, route, log });
  streams.enter();
  let closed = false;
  return wrapConsumer(consumer, {
    receive: (max, signal) => consumer.receive(max, signal),
    async close() {
      if (closed) return;
      closed = true;
      await consumer.close();
      streams.closed(stream);
      streams.leave();
    },
  });
}

function check({ correlation_id: id }: StreamBufferSettings, { side }: CheckContext): Finding[] {
  const path = ["correlation_id"];
  if (side === "input" && id == null) {
    const message = "a stream_buffer input needs the `correlation_id` of the stream that it reads";
    return [{ level: "error", path, code: "MQB_STANDARD_STREAM_WITHOUT_ID", message }];
  }
  if (side === "output" && id != null) {
    const message =
      "`correlation_id` is ignored: a stream_buffer publisher goes by the `correlation_id` of each message";
    return [{ level: "warning", path, code: "MQB_STANDARD_STREAM_ID_IGNORED", message, hint: "leave it out" }];
  }
  return [];
}
