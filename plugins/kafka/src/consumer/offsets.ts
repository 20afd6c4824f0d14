import { sleep } from "@mqb/core/plugin";
import { CODE, hasMoved, nameOf, refusal } from "../classify.ts";
import type { KafkaClient } from "../client/client.ts";
import { kafkaErrors } from "../errors.ts";
import { groupBy } from "../group-by.ts";
import { CompactReader, compactText, NO_TAGS, uvarint } from "../wire/compact.ts";
import { partitionKey } from "../wire/produce.ts";

export interface Place {
  readonly topic: string;
  readonly partition: number;
}

export const EARLIEST = -2;
export const LATEST = -1;

const PAUSE_MS = 200;
const TRIES = 100;
const OFFSET_FETCH = 9;
/** The first version that waits for offsets of transactions that are about to end. */
const STABLE_OFFSETS = 7;

/** The first or last offset of each partition, by key. `readsCommitted`: the last one that no open transaction holds up. */
export async function listOffsets(
  client: KafkaClient,
  places: readonly Place[],
  which: typeof EARLIEST | typeof LATEST,
  readsCommitted: boolean,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  let left = places;
  for (let attempt = 0; left.length > 0; attempt++) {
    const topics = await client.topics([...new Set(left.map(({ topic }) => topic))]);
    const byLeader = groupBy(left, ({ topic, partition }) => topics.get(topic)?.leaders[partition] ?? -1);
    const again: Place[] = byLeader.get(-1) ?? [];
    let reason = "it has no leader";
    for (const [leader, those] of byLeader) {
      if (leader < 0) continue;
      const broker = await client.broker(leader, "control");
      const wanted = [...groupBy(those, ({ topic }) => topic)].map(([topic, some]) => ({
        topic,
        partitions: some.map(({ partition }) => ({ partition, timestamp: which })),
      }));
      const { responses } = await broker.request<{
        readonly responses: readonly {
          readonly topic: string;
          readonly partitions: readonly {
            readonly partition: number;
            readonly errorCode: number;
            readonly offset: string;
          }[];
        }[];
      }>("ListOffsets", { replicaId: -1, isolationLevel: readsCommitted ? 1 : 0, topics: wanted });
      for (const { topic, partitions } of responses) {
        for (const { partition, errorCode, offset } of partitions) {
          if (errorCode === 0) found.set(partitionKey(topic, partition), Number(offset));
          else if (hasMoved(errorCode)) {
            again.push({ topic, partition });
            reason = nameOf(errorCode);
          } else {
            const refused = refusal(errorCode, `to read the topic "${topic}"`);
            throw refused ?? kafkaErrors.FETCH_FAILED({ topic, partition, reason: nameOf(errorCode) });
          }
        }
      }
    }
    left = again;
    const [first] = left;
    if (first && (attempt >= TRIES || !(await sleep(client.clock, PAUSE_MS, signal))))
      throw kafkaErrors.NO_LEADER({ topic: first.topic, partition: first.partition, reason });
  }
  return found;
}

/** What a group has committed, by key; partitions without an offset are left out. */
export async function committedOffsets(
  client: KafkaClient,
  groupId: string,
  places: readonly Place[],
  signal: AbortSignal,
): Promise<Map<string, number>> {
  for (let attempt = 0; ; attempt++) {
    const broker = await client.coordinator("group", groupId, signal);
    const answer = broker.knows(OFFSET_FETCH, STABLE_OFFSETS)
      ? parseStable(
          await broker.raw({
            apiKey: OFFSET_FETCH,
            name: "OffsetFetch",
            version: STABLE_OFFSETS,
            body: [stableRequest(groupId, places)],
            flexible: true,
          }),
        )
      : await oldOffsets(broker, groupId, places);
    const code = answer.error;
    if (code === 0) return answer.offsets;
    const refused = refusal(code, `the consumer group "${groupId}"`);
    if (refused) throw refused;
    const waits: readonly number[] = [
      CODE.UNSTABLE_OFFSET_COMMIT,
      CODE.NOT_COORDINATOR,
      CODE.COORDINATOR_LOAD_IN_PROGRESS,
      CODE.COORDINATOR_NOT_AVAILABLE,
    ];
    const error = kafkaErrors.GROUP_FAILED({ group: groupId, what: "tell its offsets", reason: nameOf(code) });
    if (!waits.includes(code) || attempt >= TRIES || !(await sleep(client.clock, PAUSE_MS, signal))) throw error;
  }
}

interface Offsets {
  readonly error: number;
  readonly offsets: Map<string, number>;
}

async function oldOffsets(
  broker: { request<T>(name: "OffsetFetch", parameters: object): Promise<T> },
  groupId: string,
  places: readonly Place[],
): Promise<Offsets> {
  const topics = [...groupBy(places, ({ topic }) => topic)].map(([topic, those]) => ({
    topic,
    partitions: those.map(({ partition }) => ({ partition })),
  }));
  const { responses, errorCode = 0 } = await broker.request<{
    readonly errorCode?: number;
    readonly responses: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly offset: string;
        readonly errorCode: number;
      }[];
    }[];
  }>("OffsetFetch", { groupId, topics });
  const offsets = new Map<string, number>();
  let error = errorCode;
  for (const { topic, partitions } of responses) {
    for (const { partition, offset, errorCode: code } of partitions) {
      if (code !== 0) error = code;
      if (Number(offset) >= 0) offsets.set(partitionKey(topic, partition), Number(offset));
    }
  }
  return { error, offsets };
}

function stableRequest(groupId: string, places: readonly Place[]): Buffer {
  const topics = groupBy(places, ({ topic }) => topic);
  const parts = [compactText(groupId), uvarint(topics.size + 1)];
  for (const [topic, those] of topics) {
    const numbers = Buffer.allocUnsafe(4 * those.length);
    for (const [i, { partition }] of those.entries()) numbers.writeInt32BE(partition, 4 * i);
    parts.push(compactText(topic), uvarint(those.length + 1), numbers, NO_TAGS);
  }
  parts.push(Buffer.from([1]), NO_TAGS);
  return Buffer.concat(parts);
}

function parseStable(bytes: Buffer): Offsets {
  const offsets = new Map<string, number>();
  const reader = new CompactReader(bytes, 4);
  let error = 0;
  for (let topics = reader.uvarint() - 1; topics > 0; topics--) {
    const topic = reader.text() ?? "";
    for (let left = reader.uvarint() - 1; left > 0; left--) {
      const partition = bytes.readInt32BE(reader.at);
      const offset = Number(bytes.readBigInt64BE(reader.at + 4));
      reader.at += 16;
      reader.text();
      const code = bytes.readInt16BE(reader.at);
      reader.at += 2;
      reader.tags();
      if (code !== 0) error = code;
      if (offset >= 0) offsets.set(partitionKey(topic, partition), offset);
    }
    reader.tags();
  }
  return { error: error || bytes.readInt16BE(reader.at), offsets };
}
