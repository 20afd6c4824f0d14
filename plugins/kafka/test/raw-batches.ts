import { systemClock } from "@mqb/core/plugin";
import type { BrokerConnection } from "../src/client/broker.ts";
import { KafkaClient } from "../src/client/client.ts";
import { parseBrokers } from "../src/client/settings.ts";
import { loadDriver } from "../src/driver/driver.ts";
import { FETCH, fetchRequest, parseFetched } from "../src/wire/fetch.ts";
import { PRODUCE, parseProduced, produceRequest } from "../src/wire/produce.ts";
import { batchHead } from "../src/wire/record-batch.ts";
import { KAFKA_URL } from "./server.ts";

export interface RawBatch {
  readonly partition: number;
  readonly magic: number;
  readonly codec: string;
  readonly log_append_time: boolean;
  readonly transactional: boolean;
  readonly has_producer_id: boolean;
  readonly base_sequence_ok: boolean;
}

/** The heads of the record batches of a topic, as they lie there. */
export function rawBatches(topic: string): Promise<RawBatch[]> {
  return withLeader(topic, async (broker, partitions) => {
    const places = Array.from({ length: partitions }, (_, partition) => ({ partition, offset: 0 }));
    const limits = {
      maxWaitMs: 500,
      minBytes: 1,
      maxBytes: 1 << 24,
      maxPartitionBytes: 1 << 24,
      readsCommitted: false,
    };
    const body = [fetchRequest(new Map([[topic, places]]), limits, 11)];
    const bytes = await broker.raw({ apiKey: FETCH, name: "Fetch", version: 11, body });
    const batches: RawBatch[] = [];
    for (const { partition, start, end } of parseFetched(bytes, 11).partitions) {
      for (let at = start; at < end; at += 12 + bytes.readInt32BE(at + 8)) batches.push(headOf(bytes, at, partition));
    }
    return batches;
  });
}

export interface RawRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  /** In their order; names may repeat, values may be null. */
  readonly headers: readonly (readonly [name: string, value: Buffer | null])[];
}

/** Writes records as they are given, which no client lets one do. */
export function produceRaw(topic: string, partition: number, records: readonly RawRecord[]): Promise<void> {
  return withLeader(topic, async (broker) => {
    const body = Buffer.concat(
      records.map((record, delta) => sized(Buffer.concat([Buffer.from([0, 0]), varint(delta), ...parts(record)]))),
    );
    const producer = { id: -1n, epoch: -1 };
    const head = batchHead(
      { codec: 0, count: records.length, timestamp: Date.now(), producer, sequence: -1, transactional: false },
      body,
    );
    const request = produceRequest([{ topic, partition, head, body }], {
      acks: -1,
      timeoutMs: 5000,
      transactionalId: undefined,
    });
    const answer = await broker.raw({ apiKey: PRODUCE, name: "Produce", version: 7, body: request });
    const [code] = parseProduced(answer, 7).values();
    if (code !== 0) throw new Error(`the broker answers ${code}`);
  });
}

function parts({ key, value, headers }: RawRecord): Buffer[] {
  const listed = headers.flatMap(([name, text]) => [sized(Buffer.from(name)), sized(text)]);
  return [sized(key), sized(value), varint(headers.length), ...listed];
}

function sized(bytes: Buffer | null): Buffer {
  return bytes === null ? varint(-1) : Buffer.concat([varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = ((value << 1) ^ (value >> 31)) >>> 0;
  for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
}

async function withLeader<T>(
  topic: string,
  body: (broker: BrokerConnection, partitions: number) => Promise<T>,
): Promise<T> {
  const client = new KafkaClient({
    driver: await loadDriver(),
    clock: systemClock,
    settings: {
      brokers: parseBrokers(KAFKA_URL)!,
      clientId: "test",
      connectTimeoutMs: 5000,
      requestTimeoutMs: 5000,
      metadataMaxAgeMs: 5000,
      socket: { keepAlive: true, noDelay: true, family: 0 },
    },
  });
  try {
    const { leaders } = (await client.topics([topic])).get(topic)!;
    return await body(await client.broker(leaders[0]!, "test"), leaders.length);
  } finally {
    client.close();
  }
}

function headOf(bytes: Buffer, at: number, partition: number): RawBatch {
  const attributes = bytes.readInt16BE(at + 21);
  return {
    partition,
    magic: bytes[at + 16]!,
    codec: ["none", "gzip", "snappy", "lz4", "zstd"][attributes & 7]!,
    log_append_time: (attributes & 8) !== 0,
    transactional: (attributes & 16) !== 0,
    has_producer_id: bytes.readBigInt64BE(at + 43) >= 0n,
    base_sequence_ok: bytes.readInt32BE(at + 53) >= 0,
  };
}
