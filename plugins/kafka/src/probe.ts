import { describeError, isMqbError, type ProbeContext, type ProbeFinding } from "@mqb/core/plugin";
import type { KafkaClient } from "./client/client.ts";
import { makeClient } from "./client/open.ts";
import { findTopic } from "./client/topic.ts";
import { kafkaErrors } from "./errors.ts";
import { consumerOptions } from "./options/consumer.ts";
import { producerOptions } from "./options/producer.ts";
import { DEFAULT_PARTITIONS, type KafkaConfig, topicsOf } from "./schema.ts";

/** Connects, logs in and looks at the topics. Joins no group and makes nothing. */
export async function probeKafka(config: KafkaConfig, context: ProbeContext): Promise<ProbeFinding[]> {
  const { side, signal } = context;
  const { options } =
    side === "input" ? consumerOptions(config.consumer_options) : producerOptions(config.producer_options);
  const limited = { ...options, connectTimeoutMs: Math.min(options.connectTimeoutMs, 5000) };
  let client: KafkaClient | undefined;
  const aborted = (): void => client?.close();
  signal.addEventListener("abort", aborted, { once: true });
  try {
    client = await makeClient(config, limited, context);
    const broker = await client.anyBroker();
    const found: ProbeFinding[] = [{ check: "reachable", ok: true, detail: `Kafka answers at ${broker.target}` }];
    if (config.username != null)
      found.push({ check: "credentials", ok: true, detail: `${config.username} is logged in` });
    for (const topic of topicsOf(config, context.route)) found.push(await probeTopic(client, topic, config, side));
    return found;
  } catch (error) {
    signal.throwIfAborted();
    const isLogin = isMqbError(error) && error.code === kafkaErrors.NOT_LOGGED_IN.code;
    return [failing(isLogin ? "credentials" : "reachable", error)];
  } finally {
    signal.removeEventListener("abort", aborted);
    client?.close();
  }
}

async function probeTopic(
  client: KafkaClient,
  topic: string,
  config: KafkaConfig,
  side: "input" | "output",
): Promise<ProbeFinding> {
  const identity = `kafka ${client.target} ${topic}`;
  try {
    const { leaders } = await findTopic(client, topic, side);
    const without = leaders.filter((leader) => leader < 0).length;
    const detail = `topic ${topic} has ${leaders.length} partition${leaders.length === 1 ? "" : "s"}`;
    if (without === 0) return { check: "exists", ok: true, detail, identity };
    return { check: "exists", ok: false, detail: `${detail}, ${without} of them without a leader`, identity };
  } catch (error) {
    const isMissing = isMqbError(error) && error.code === kafkaErrors.NO_TOPIC.code;
    if (!isMissing || side === "input" || config.create_topic === false)
      return { ...failing("exists", error), identity };
    const detail = `topic ${topic} is made when the route starts, with ${config.partitions ?? DEFAULT_PARTITIONS} partitions`;
    return { check: "exists", ok: true, detail, identity };
  }
}

function failing(check: string, error: unknown): ProbeFinding {
  const hint = isMqbError(error) ? error.hint : undefined;
  return { check, ok: false, detail: describeError(error), ...(hint === undefined ? {} : { hint }) };
}
