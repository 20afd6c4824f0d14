import { type Address, eventually, type FaultProxy } from "@mqb/testkit";
import { Kafka, logLevel, type Message } from "kafkajs";
import { keyOf, rowNumber } from "../ledger.ts";
import type { SinkEnd, SourceEnd, World } from "../pairs/pair.ts";
import { type PrivateServer, proxyTo } from "../servers.ts";
import { readConsole } from "./console-consumer.ts";

const TOPIC_MS = 30_000;
/** Brokers refuse records of an hour ahead, and clocks that jump stay there: routes would stand still, as they should. */
const ANY_TIME = { "message.timestamp.after.max.ms": "9223372036854775807" };
/** Stands behind everything else in each partition when a topic is read. */
const LAST = "the last one";

/** A topic of a private broker, filled by kafkajs and read by the console consumer that comes with Kafka. */
export class KafkaTopic {
  readonly name: string;
  private readonly server: PrivateServer;
  private readonly partitions: number;
  private readonly client: Kafka;
  private readonly admin: ReturnType<Kafka["admin"]>;

  private constructor(server: PrivateServer, name: string, partitions: number) {
    this.server = server;
    this.name = name;
    this.partitions = partitions;
    this.client = new Kafka({
      brokers: [hostPort(server.address)],
      clientId: "campaign",
      logLevel: logLevel.NOTHING,
      retry: { retries: 30, initialRetryTime: 100, maxRetryTime: 2000 },
    });
    this.admin = this.client.admin();
  }

  static async create(
    server: PrivateServer,
    name: string,
    numPartitions: number,
    world: World,
    config: Readonly<Record<string, string>> = {},
  ): Promise<KafkaTopic> {
    const topic = new KafkaTopic(server, name, numPartitions);
    await topic.admin.connect();
    world.defer(() => topic.admin.disconnect());
    const configEntries = Object.entries({ ...ANY_TIME, ...config }).map(([key, value]) => ({ name: key, value }));
    const topics = [{ topic: name, numPartitions, replicationFactor: 1, configEntries }];
    // Waiting for leaders fails when it asks before the broker knows the topic.
    await topic.admin.createTopics({ topics, waitForLeaders: false });
    await eventually(() => topic.sink.progress().then((offset) => offset >= 0), "the topic", TOPIC_MS);
    return topic;
  }

  readonly source: SourceEnd = {
    append: (rows) =>
      this.put(
        rows.map((value) => ({
          value,
          key: keyOf(rowNumber(value)!),
          headers: { key: keyOf(rowNumber(value)!) },
        })),
      ),
  };

  readonly sink: SinkEnd = {
    progress: async () => {
      try {
        const offsets = await this.admin.fetchTopicOffsets(this.name);
        return offsets.reduce((sum, { high }) => sum + Number(high), 0);
      } catch {
        // The broker is away for a moment.
        return -1;
      }
    },
    arrivals: async () => {
      const numbers = Array.from({ length: this.partitions }, (_, partition) => partition);
      await this.put(numbers.map((partition) => ({ value: LAST, partition })));
      const library = (await this.server.variables()).get("MQB_TEST_KAFKA_LIB")!;
      const broker = hostPort(this.server.address);
      return readConsole({ library, broker, topic: this.name, last: LAST, partitions: this.partitions });
    },
  };

  private async put(messages: Message[]): Promise<void> {
    // Idempotent: what the client sends again after a lost answer must not be in the topic twice.
    const producer = this.client.producer({ idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    try {
      await producer.send({ topic: this.name, acks: -1, messages });
    } finally {
      await producer.disconnect();
    }
  }
}

/**
 * A proxy before a broker. Brokers tell clients where they are; those of the proxy are told the proxy's port. Host and
 * port stand in the answers of Kafka as a text and four bytes behind it, whatever the version.
 */
export function kafkaProxy(server: PrivateServer, world: World): Promise<FaultProxy> {
  const told = advertised(server.address);
  return proxyTo(server.address, world, {
    rewrite(bytes, proxy) {
      const other = advertised(proxy);
      for (let at = bytes.indexOf(told); at >= 0; at = bytes.indexOf(told, at + told.length)) other.copy(bytes, at);
      return bytes;
    },
  });
}

/** Of a route's input: a member that was killed is given up soon, so that the next one need not wait for long. */
export const GROUP = {
  group_id: "campaign",
  consumer_options: [
    ["session.timeout.ms", "2000"],
    ["heartbeat.interval.ms", "500"],
  ],
};

export function hostPort({ host, port }: Address): string {
  return `${host}:${port}`;
}

function advertised({ host, port }: Address): Buffer {
  const number = Buffer.alloc(4);
  number.writeInt32BE(port);
  return Buffer.concat([Buffer.from(host), number]);
}
