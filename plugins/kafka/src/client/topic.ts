import { codeOf, sleep } from "@mqb/core/plugin";
import { CODE, nameOf, refusal } from "../classify.ts";
import { kafkaErrors } from "../errors.ts";
import type { KafkaClient, TopicInfo } from "./client.ts";

const PAUSE_MS = 100;
/** A topic that was made a moment ago is not known to every broker. */
const TRIES = 100;
const MISSING_TRIES = 50;

type TopicSide = "input" | "output" | "reply";

/** What is known of a topic. Throws a `config` error when there is none or it may not be seen. */
export async function findTopic(client: KafkaClient, topic: string, side: TopicSide): Promise<TopicInfo> {
  const info = (await client.topics([topic])).get(topic);
  const code = info?.error ?? CODE.UNKNOWN_TOPIC_OR_PARTITION;
  if (info && info.leaders.length > 0 && (code === 0 || code === CODE.LEADER_NOT_AVAILABLE)) return info;
  const refused = refusal(code, `the topic "${topic}"`);
  if (refused) throw refused;
  if (code === CODE.INVALID_TOPIC) throw kafkaErrors.INVALID_TOPIC({ topic });
  if (code === CODE.UNKNOWN_TOPIC_OR_PARTITION) throw kafkaErrors.NO_TOPIC({ topic, side });
  throw kafkaErrors.NO_LEADER({ topic, partition: 0, reason: nameOf(code) });
}

/**
 * As `findTopic`, for a topic that was there before: a broker that has just started may not know of it yet. It is gone when
 * nobody knows it for five seconds.
 */
export async function findTopicAgain(
  client: KafkaClient,
  topic: string,
  side: TopicSide,
  signal: AbortSignal,
): Promise<TopicInfo> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await findTopic(client, topic, side);
    } catch (error) {
      if (codeOf(error) !== kafkaErrors.NO_TOPIC.code || attempt >= MISSING_TRIES) throw error;
      if (!(await sleep(client.clock, PAUSE_MS, signal))) throw error;
    }
  }
}

/** Finds a topic, or makes it with so many partitions and one replica. Resolves when its partitions have leaders. */
export async function makeTopic(
  client: KafkaClient,
  topic: string,
  partitions: number,
  signal: AbortSignal,
): Promise<TopicInfo> {
  for (let attempt = 0; ; attempt++) {
    const found = (await client.topics([topic])).get(topic);
    const code = found?.error ?? CODE.UNKNOWN_TOPIC_OR_PARTITION;
    const isMissing = code === CODE.UNKNOWN_TOPIC_OR_PARTITION;
    if (!isMissing && code !== CODE.LEADER_NOT_AVAILABLE && code !== 0) return findTopic(client, topic, "output");
    if (found && code === 0 && found.leaders.every((leader) => leader >= 0)) return found;
    if (attempt >= TRIES) {
      if (isMissing) throw kafkaErrors.NOT_CREATED({ topic, reason: "it was made, and no broker knows it" });
      throw kafkaErrors.NO_LEADER({ topic, partition: found?.leaders.indexOf(-1) ?? 0, reason: "it has none yet" });
    }
    if (isMissing) await create(client, topic, partitions);
    if (!(await sleep(client.clock, PAUSE_MS, signal))) throw kafkaErrors.CLOSED({ what: "client" });
  }
}

async function create(client: KafkaClient, topic: string, partitions: number): Promise<void> {
  const broker = await client.controller();
  const wanted = { topic, numPartitions: partitions, replicationFactor: 1, replicaAssignment: [], configEntries: [] };
  const answer = await broker.request<{
    readonly topicErrors: readonly { readonly errorCode: number; readonly errorMessage?: string | null }[];
  }>("CreateTopics", { topics: [wanted], validateOnly: false, timeout: 10_000 });
  const { errorCode = 0, errorMessage } = answer.topicErrors[0] ?? {};
  // Somebody else was faster, or the controller has moved: the next look tells.
  const fine: readonly number[] = [0, CODE.TOPIC_ALREADY_EXISTS, CODE.NOT_CONTROLLER, CODE.REQUEST_TIMED_OUT];
  if (fine.includes(errorCode)) return;
  if (errorCode === CODE.INVALID_TOPIC) throw kafkaErrors.INVALID_TOPIC({ topic });
  const refused = refusal(errorCode, `to make the topic "${topic}"`);
  throw refused ?? kafkaErrors.NOT_CREATED({ topic, reason: errorMessage || nameOf(errorCode) });
}
