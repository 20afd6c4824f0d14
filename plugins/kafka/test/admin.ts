import { GrowingBuffer } from "@mqb/formats";
import { eventually } from "@mqb/testkit";
import { type Admin, CompressionCodecs, type ITopicConfig, Kafka, logLevel, type Message } from "kafkajs";
import { Codecs, MOST_UNPACKED } from "../src/wire/codecs.ts";
import { KAFKA_URL } from "./server.ts";

// It has gzip only.
const codecs = new Codecs();
for (const number of [2, 3, 4]) {
  CompressionCodecs[number as keyof typeof CompressionCodecs] = () => ({
    compress: async ({ buffer }: { readonly buffer: Buffer }) => (await codecs.load(number)).compress(buffer),
    decompress: async (bytes: Buffer) => {
      const out = new GrowingBuffer(bytes.length);
      (await codecs.load(number)).decompress(bytes, 0, bytes.length, out, MOST_UNPACKED);
      return out.written();
    },
  });
}

/** The client as others use it: what it writes and reads did not go through this package. */
export const foreign: Kafka = foreignOn(KAFKA_URL);

function foreignOn(url: string): Kafka {
  return new Kafka({ clientId: "test", brokers: [url], logLevel: logLevel.NOTHING, retry: { retries: 20 } });
}

export async function withAdmin<T>(body: (admin: Admin) => Promise<T>, url: string = KAFKA_URL): Promise<T> {
  const admin = foreignOn(url).admin();
  await admin.connect();
  try {
    return await body(admin);
  } finally {
    await admin.disconnect();
  }
}

export async function createTopic(
  topic: string,
  more: Partial<ITopicConfig> = {},
  url: string = KAFKA_URL,
): Promise<void> {
  const topics = [{ topic, numPartitions: 1, ...more }];
  await withAdmin(async (admin) => {
    await admin.createTopics({ topics, waitForLeaders: false });
    // A broker that has just started does not know at once what it has made.
    const hasLeaders = async (): Promise<boolean> => {
      const found = await admin.fetchTopicMetadata({ topics: [topic] }).catch(() => undefined);
      return found?.topics[0]?.partitions.every(({ leader }) => leader >= 0) ?? false;
    };
    await eventually(hasLeaders, `the topic ${topic}`, 60_000);
  }, url);
}

/** Writes records with the other client. */
export async function produce(topic: string, messages: readonly Message[]): Promise<void> {
  // Idempotent: a partition that is not there yet makes the client send again what the others have taken.
  const producer = foreign.producer({ allowAutoTopicCreation: false, idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  try {
    await producer.send({ topic, messages: [...messages] });
  } finally {
    await producer.disconnect();
  }
}
