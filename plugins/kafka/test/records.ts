import { createHash } from "node:crypto";
import type { IHeaders, KafkaMessage } from "kafkajs";
import { foreign, withAdmin } from "./admin.ts";
import { freshName } from "./server.ts";

export interface SeenRecord {
  readonly partition: number;
  readonly message: KafkaMessage;
}

/** Every record of a topic, read by the other client, by partition and offset. */
export async function readAll(topic: string): Promise<SeenRecord[]> {
  const ends = await withAdmin((admin) => admin.fetchTopicOffsets(topic));
  const left = new Map(ends.filter(({ low, high }) => low !== high).map((one) => [one.partition, BigInt(one.high)]));
  const seen: SeenRecord[] = [];
  if (left.size === 0) return seen;
  const consumer = foreign.consumer({ groupId: freshName("reader"), maxWaitTimeInMs: 50 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer.on("consumer.crash", ({ payload }) => reject(payload.error));
    const eachBatch = async ({ batch }: { batch: import("kafkajs").Batch }): Promise<void> => {
      for (const message of batch.messages) seen.push({ partition: batch.partition, message });
      if (BigInt(batch.lastOffset()) + 1n >= (left.get(batch.partition) ?? 0n)) left.delete(batch.partition);
      if (left.size === 0) resolve();
    };
    consumer.run({ eachBatch }).catch(reject);
  });
  await consumer.disconnect();
  return seen.sort((a, b) => a.partition - b.partition || Number(BigInt(a.message.offset) - BigInt(b.message.offset)));
}

/** Headers as pairs, sorted: the order of those that come from metadata is nobody's promise. */
export function headerPairs(headers: IHeaders | undefined): [string, string][] {
  const pairs = Object.entries(headers ?? {}).flatMap(([name, value]): [string, string][] =>
    (Array.isArray(value) ? value : [value]).map((one) => [name, one?.toString() ?? ""]),
  );
  return pairs.sort((a, b) => (a[0] + a[1] < b[0] + b[1] ? -1 : 1));
}

/** Bytes as the recorded runs show them. */
export function shown(bytes: Buffer | null): unknown {
  if (bytes === null) return null;
  if (bytes.length <= 4096) return { b64: bytes.toString("base64") };
  return { len: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}
