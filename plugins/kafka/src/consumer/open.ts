import { type Consumer, freshId, type OpenContext } from "@mqb/core/plugin";
import { makeClient } from "../client/open.ts";
import { consumerOptions } from "../options/consumer.ts";
import { openRdkafkaConsumer } from "../rdkafka/open.ts";
import { type KafkaConfig, topicsOf } from "../schema.ts";
import { KafkaConsumer } from "./consumer.ts";

const DRAIN_JOIN_MS = 30_000;
const SUBSCRIBER = "kafka subscriber";

/** Connects and begins to join the group. */
export async function openConsumer(config: KafkaConfig, context: OpenContext): Promise<Consumer> {
  const { options } = consumerOptions(config.consumer_options);
  const isSubscriber = config.group_id == null;
  const settings = {
    topics: topicsOf(config, context.route),
    groupId: config.group_id ?? subscriberGroup(context),
    isSubscriber,
    stamps: config.source_metadata === true || context.positions,
    options,
    drainJoinMs: drainJoinMs(),
  };
  if (config.engine === "rdkafka") return openRdkafkaConsumer(config, settings, context);
  const client = await makeClient(config, options, context);
  const consumer = new KafkaConsumer(client, settings, context);
  const aborted = (): void => client.close();
  context.signal.addEventListener("abort", aborted, { once: true });
  try {
    await consumer.open(context.signal);
    return consumer;
  } catch (error) {
    await consumer.close();
    throw error;
  } finally {
    context.signal.removeEventListener("abort", aborted);
  }
}

/** A group of its own, the same across reconnects. */
function subscriberGroup({ session }: OpenContext): string {
  const known = session.get(SUBSCRIBER) as string | undefined;
  const name = known ?? `event-sub-${freshId()}`;
  session.set(SUBSCRIBER, name);
  return name;
}

function drainJoinMs(): number {
  const given = Number(process.env["MQ_BRIDGE_DRAIN_JOIN_TIMEOUT_MS"] || DRAIN_JOIN_MS);
  return Number.isFinite(given) && given >= 0 ? given : DRAIN_JOIN_MS;
}
