import { defineEndpoint, type InputCapabilities, type OutputCapabilities } from "@mqb/core/plugin";
import { checkKafka } from "./check.ts";
import { openConsumer } from "./consumer/open.ts";
import { producerOptions } from "./options/producer.ts";
import { probeKafka } from "./probe.ts";
import { openPublisher } from "./publisher/open.ts";
import { type KafkaConfig, kafkaSchema } from "./schema.ts";

export const kafka = defineEndpoint<KafkaConfig>({
  description:
    "Topics of Apache Kafka: reads them as a member of a consumer group or as a subscriber, or writes to one.",
  schema: kafkaSchema,
  nameField: "topic",
  check: checkKafka,
  probe: probeKafka,
  resume(written, id) {
    if (id === undefined || written["group_id"] != null) return written;
    return { ...written, group_id: id };
  },
  input: {
    capabilities: (config): InputCapabilities => ({
      // What a subscriber has not settled comes again after a nack or a reconnect, not after a crash.
      acknowledges: config.group_id != null,
      ...(config.group_id == null ? { acknowledgesWith: "group_id" } : {}),
      takesBack: true,
      commitsInOrder: true,
      replies: config.group_id != null,
      stableIds: true,
      replayablePosition: true,
      bounded: true,
    }),
    open: openConsumer,
  },
  output: {
    capabilities: (config): OutputCapabilities => ({
      acknowledges: config.delayed_ack !== true && producerOptions(config.producer_options).options.acks !== 0,
      replies: false,
      // One transaction at a time, with positions that only go forward.
      orderedPublish: config.transactional_id != null,
      idempotent: config.transactional_id != null,
      ...(config.transactional_id == null ? {} : { needsPositions: "transactional_id" }),
      keepsNothing: config.delayed_ack !== true,
    }),
    open: openPublisher,
  },
});
