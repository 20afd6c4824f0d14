import { createHash } from "node:crypto";
import type { OpenContext, Publisher, Shared } from "@mqb/core/plugin";
import { makeClient } from "../client/open.ts";
import { findTopic, makeTopic } from "../client/topic.ts";
import { kafkaErrors } from "../errors.ts";
import { producerOptions } from "../options/producer.ts";
import { openRdkafkaPublisher } from "../rdkafka/open.ts";
import { DEFAULT_PARTITIONS, type KafkaConfig, topicsOf } from "../schema.ts";
import { transactionLink } from "../transaction-source.ts";
import { Producer } from "./producer.ts";
import { KafkaPublisher } from "./publisher.ts";
import { RecordBatches } from "./record-batches.ts";
import { TransactionalPublisher } from "./transactional.ts";

/** Connects, and finds or makes the topic. */
export async function openPublisher(config: KafkaConfig, context: OpenContext): Promise<Publisher> {
  if (config.transactional_id != null && context.path !== "output") {
    const reason = "the output is only a part of another one";
    throw kafkaErrors.NOT_OUR_INPUT({ id: config.transactional_id, reason });
  }
  if (config.engine === "rdkafka") return openRdkafkaPublisher(config, context);
  const topic = topicsOf(config, context.route)[0]!;
  const held = await producerFor(config, context);
  const { value: producer } = held;
  const aborted = (): void => void held.release();
  context.signal.addEventListener("abort", aborted, { once: true });
  try {
    const info =
      config.create_topic === false
        ? await findTopic(producer.client, topic, "output")
        : await makeTopic(producer.client, topic, config.partitions ?? DEFAULT_PARTITIONS, context.signal);
    producer.learn(topic, info);
  } catch (error) {
    await held.release();
    throw error;
  } finally {
    context.signal.removeEventListener("abort", aborted);
  }
  const records = new RecordBatches(producer, topic, config.partition_key ?? undefined);
  const publisher = new KafkaPublisher(records, {
    topic,
    delayedAck: config.delayed_ack ?? false,
    route: context.route,
    log: context.log,
    release: () => held.release(),
  });
  if (config.transactional_id == null) return publisher;
  const transactional = new TransactionalPublisher(
    publisher,
    records,
    config.transactional_id,
    transactionLink(context),
  );
  try {
    await transactional.begin();
    return transactional;
  } catch (error) {
    await transactional.close();
    throw error;
  }
}

/** The producer of these connection settings: shared, unless the configuration wants its own. */
async function producerFor(config: KafkaConfig, context: OpenContext): Promise<Shared<Producer>> {
  const { options } = producerOptions(config.producer_options);
  const make = async (): Promise<Producer> => new Producer(await makeClient(config, options, context), options);
  if (config.shared === false) {
    const value = await make();
    return { value, release: async () => value.close() };
  }
  const { url, username, password, tls } = config;
  const settings = JSON.stringify([url, username, password, tls, options, context.baseDir]);
  // The password is part of what connections have in common, and of no key that anybody sees.
  const key = `kafka producer ${createHash("sha256").update(settings).digest("hex")}`;
  return context.share(key, make, async (producer) => producer.close());
}
