import type { Consumer, OpenContext, Publisher } from "@mqb/core/plugin";
import type { KafkaClient } from "../client/client.ts";
import { makeClient } from "../client/open.ts";
import { findTopic, makeTopic } from "../client/topic.ts";
import { type ConsumerSettings, resetOf } from "../consumer/settings.ts";
import { kafkaErrors } from "../errors.ts";
import { consumerOptions } from "../options/consumer.ts";
import { type ProducerOptions, producerOptions } from "../options/producer.ts";
import { KafkaPublisher } from "../publisher/publisher.ts";
import { DEFAULT_PARTITIONS, type KafkaConfig, topicsOf } from "../schema.ts";
import { RdkafkaConsumer } from "./consumer.ts";
import { loadRdkafka, type RdkafkaError } from "./driver.ts";
import { checkFeatures, connectionSettings, make } from "./settings.ts";
import { RdkafkaWriter } from "./writer.ts";

/** Connects, and finds or makes the topic. Topics and logins are looked at by the other engine, whose errors are exact. */
export async function openRdkafkaPublisher(config: KafkaConfig, context: OpenContext): Promise<Publisher> {
  const library = loadRdkafka();
  const { options } = producerOptions(config.producer_options);
  checkFeatures(library, config, options);
  const topic = topicsOf(config, context.route)[0]!;
  const client = await makeClient(config, options, context);
  return unlessAborted(client, context.signal, async () => {
    if (config.create_topic === false) await findTopic(client, topic, "output");
    else await makeTopic(client, topic, config.partitions ?? DEFAULT_PARTITIONS, context.signal);
    const settings = {
      ...producerDefaults(options),
      ...connectionSettings(config, options, config.producer_options, context),
    };
    const handle = make(library.Producer, { ...settings, dr_cb: true });
    const keyField = config.partition_key ?? undefined;
    const writer = new RdkafkaWriter(client, handle, options, { topic, keyField, log: context.log });
    await connected(handle, topic, options.connectTimeoutMs, client);
    return new KafkaPublisher(writer, {
      topic,
      delayedAck: config.delayed_ack ?? false,
      route: context.route,
      log: context.log,
      release: () => writer.close(),
    });
  });
}

/** After so long without an answer a request is given up. */
const REQUEST_MS = 10_000;

/** Begins to join the group. A subscriber has joined when this resolves. */
export async function openRdkafkaConsumer(
  config: KafkaConfig,
  settings: ConsumerSettings,
  context: OpenContext,
): Promise<Consumer> {
  const library = loadRdkafka();
  const { options } = consumerOptions(config.consumer_options);
  checkFeatures(library, config, options);
  const client = await makeClient(config, options, context);
  return unlessAborted(client, context.signal, async () => {
    const consumer = new RdkafkaConsumer(client, settings, context, (callbacks) =>
      make(library.KafkaConsumer, {
        ...connectionSettings(config, options, undefined, context),
        "session.timeout.ms": options.sessionTimeoutMs,
        "heartbeat.interval.ms": options.heartbeatMs,
        // A slow output is no dead member.
        "max.poll.interval.ms": Math.max(options.rebalanceTimeoutMs, options.sessionTimeoutMs),
        "isolation.level": options.readsCommitted ? "read_committed" : "read_uncommitted",
        "partition.assignment.strategy": "range,roundrobin",
        "fetch.wait.max.ms": options.maxWaitMs,
        // A close waits for a commit under way, which is tried three times.
        "socket.timeout.ms": Math.max(REQUEST_MS, options.maxWaitMs + 1000),
        "queued.max.messages.kbytes": Math.ceil(options.queuedBytes / 1024),
        ...Object.fromEntries(config.consumer_options ?? []),
        "group.id": settings.groupId,
        "enable.auto.commit": false,
        "enable.auto.offset.store": false,
        "enable.partition.eof": true,
        // Positions come from the group or the session: this is about those that are gone.
        "auto.offset.reset": resetOf(settings),
        ...callbacks,
      }),
    );
    try {
      await consumer.open(context.signal, (handle) => connected(handle, undefined, options.connectTimeoutMs, client));
      return consumer;
    } catch (error) {
      await consumer.close();
      throw error;
    }
  });
}

function producerDefaults(options: ProducerOptions): Record<string, unknown> {
  return {
    acks: options.acks,
    "enable.idempotence": options.idempotent,
    "compression.codec": options.compression,
    "batch.num.messages": options.maxBatchRecords,
    "linger.ms": 5,
    "request.timeout.ms": options.ackTimeoutMs,
    "delivery.timeout.ms": Number.isFinite(options.deliveryTimeoutMs) ? options.deliveryTimeoutMs : 0,
    "queue.buffering.max.messages": 0,
    "queue.buffering.max.kbytes": 2_097_151,
  };
}

async function connected(
  handle: { connect(options: { timeout: number; topic?: string }, done: (error?: RdkafkaError | null) => void): void },
  topic: string | undefined,
  timeoutMs: number,
  client: KafkaClient,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    handle.connect({ timeout: timeoutMs, ...(topic === undefined ? {} : { topic }) }, (error) => {
      if (error) reject(kafkaErrors.UNREACHABLE({ target: client.target, reason: error.message }, { cause: error }));
      else resolve();
    });
  });
}

async function unlessAborted<T>(client: KafkaClient, signal: AbortSignal, body: () => Promise<T>): Promise<T> {
  const aborted = (): void => client.close();
  signal.addEventListener("abort", aborted, { once: true });
  try {
    return await body();
  } catch (error) {
    client.close();
    throw error;
  } finally {
    signal.removeEventListener("abort", aborted);
  }
}
