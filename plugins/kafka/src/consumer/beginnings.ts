import type { KafkaClient } from "../client/client.ts";
import { kafkaErrors } from "../errors.ts";
import { partitionKey } from "../wire/produce.ts";
import { committedOffsets, EARLIEST, LATEST, listOffsets, type Place } from "./offsets.ts";
import type { Partition } from "./partition.ts";

export interface Beginning extends Place {
  /** Where reading begins. */
  readonly position: number;
  /** Where a drain ends. */
  readonly end: number | undefined;
  /** Nobody has read it before: the position follows from the settings. */
  readonly isNew: boolean;
}

export interface BeginningSettings {
  readonly groupId: string;
  readonly reset: "earliest" | "latest" | "error";
  /** Positions by partition, where they are not the group's. */
  readonly known: ReadonlyMap<string, number> | undefined;
  readonly readsCommitted: boolean;
  /** Whether the ends are wanted. */
  readonly withEnds: boolean;
  readonly signal: AbortSignal;
}

/** Where newly assigned partitions begin: what is known or committed, else what the settings say. */
export async function findBeginnings(
  client: KafkaClient,
  places: readonly Place[],
  settings: BeginningSettings,
): Promise<Beginning[]> {
  const { groupId, reset, readsCommitted, signal } = settings;
  const positions = settings.known ?? (await committedOffsets(client, groupId, places, signal));
  const unknown = places.filter(({ topic, partition }) => !positions.has(partitionKey(topic, partition)));
  const [first] = unknown;
  if (first && reset === "error")
    throw kafkaErrors.NO_OFFSET({ topic: first.topic, partition: first.partition, group: groupId });
  const which = reset === "earliest" ? EARLIEST : LATEST;
  const fresh = await listOffsets(client, unknown, which, readsCommitted, signal);
  const ends = settings.withEnds ? await listOffsets(client, places, LATEST, readsCommitted, signal) : undefined;
  return places.map(({ topic, partition }) => {
    const key = partitionKey(topic, partition);
    const known = positions.get(key);
    return { topic, partition, position: known ?? fresh.get(key)!, end: ends?.get(key), isNew: known === undefined };
  });
}

/** The offset that is wanted does not exist (any more): goes on where the settings say, and returns that offset. */
export async function beginAgain(
  client: KafkaClient,
  partition: Partition,
  reset: BeginningSettings["reset"],
  readsCommitted: boolean,
  signal: AbortSignal,
): Promise<number> {
  const { topic, number, position } = partition;
  if (reset === "error") throw kafkaErrors.OFFSET_GONE({ topic, partition: number, offset: position });
  const which = reset === "earliest" ? EARLIEST : LATEST;
  const found = await listOffsets(client, [{ topic, partition: number }], which, readsCommitted, signal);
  const offset = found.get(partition.key)!;
  partition.rewind(offset);
  partition.settled = offset;
  return offset;
}
