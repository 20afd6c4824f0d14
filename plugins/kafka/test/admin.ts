import { GrowingBuffer } from "@mqb/formats";
import { type Admin, CompressionCodecs, type ITopicConfig, Kafka, logLevel, type Message } from "kafkajs";
import { Codecs } from "../src/wire/codecs.ts";
import { KAFKA_URL } from "./server.ts";

// It has gzip only.
const codecs = new Codecs();
for (const number of [2, 3, 4]) {
  CompressionCodecs[number as keyof typeof CompressionCodecs] = () => ({
    compress: async ({ buffer }: { readonly buffer: Buffer }) => (await codecs.load(number)).compress(buffer),
    decompress: async (bytes: Buffer) => {
      const out = new GrowingBuffer(bytes.length);
      (await codecs.load(number)).decompress(bytes, 0, bytes.length, out);
      return out.written();
    },
  });
}

/** The client as others use it: what it writes and reads did not go through this package. */
export const foreign: Kafka = new Kafka({
  clientId: "test",
  brokers: [KAFKA_URL],
  logLevel: logLevel.NOTHING,
  retry: { retries: 20 },
});

export async function withAdmin<T>(body: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = foreign.admin();
  await admin.connect();
  try {
    return await body(admin);
  } finally {
    await admin.disconnect();
  }
}

export async function createTopic(topic: string, more: Partial<ITopicConfig> = {}): Promise<void> {
  await withAdmin((admin) =>
    admin.createTopics({ topics: [{ topic, numPartitions: 1, ...more }], waitForLeaders: true }),
  );
}

/** Writes records with the other client. */
export async function produce(topic: string, messages: readonly Message[]): Promise<void> {
  const producer = foreign.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  try {
    await producer.send({ topic, messages: [...messages] });
  } finally {
    await producer.disconnect();
  }
}
