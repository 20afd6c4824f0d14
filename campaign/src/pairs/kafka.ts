import { join } from "node:path";
import { fileSource, positionedInput } from "../ends/file.ts";
import { GROUP, hostPort, KafkaTopic, kafkaProxy } from "../ends/kafka.ts";
import { PrivateServer } from "../servers.ts";
import { BROKER_SHARE, type Pair, pluginFolder } from "./pair.ts";

const PARTITIONS = 3;

export const fileToKafka: Pair = {
  name: "file-kafka",
  needs: ["kafka"],
  async open(world) {
    const server = await PrivateServer.start("kafka", world);
    const topic = await KafkaTopic.create(server, "rows", 1, world);
    const sink = await kafkaProxy(server, world);
    const input = join(world.folder, "in.jsonl");
    return {
      plugins: [pluginFolder("kafka")],
      input: positionedInput(input),
      output: { kafka: { url: hostPort(sink.address), topic: topic.name } },
      concurrency: 1,
      share: BROKER_SHARE,
      source: fileSource(input),
      sink: topic.sink,
      faults: { sink, servers: [server] },
      order: "all",
      mayDouble: true,
    };
  },
};

export const kafkaToKafka: Pair = betweenTopics("kafka-kafka", {}, true);

/** Records and offsets in one transaction: nothing is lost, and nothing comes twice for who reads what is committed. */
export const kafkaToKafkaOnce: Pair = betweenTopics("kafka-kafka-tx", { transactional_id: "campaign" }, false);

function betweenTopics(name: string, output: object, mayDouble: boolean): Pair {
  return {
    name,
    needs: ["kafka"],
    async open(world) {
      const server = await PrivateServer.start("kafka", world);
      const from = await KafkaTopic.create(server, "from", PARTITIONS, world);
      const to = await KafkaTopic.create(server, "to", PARTITIONS, world);
      const [source, sink] = [await kafkaProxy(server, world), await kafkaProxy(server, world)];
      return {
        plugins: [pluginFolder("kafka")],
        input: { kafka: { url: hostPort(source.address), topic: from.name, ...GROUP } },
        output: { kafka: { url: hostPort(sink.address), topic: to.name, partition_key: "key", ...output } },
        concurrency: 1,
        share: BROKER_SHARE,
        source: from.source,
        sink: to.sink,
        faults: { source, sink, servers: [server] },
        order: "key",
        mayDouble,
      };
    },
  };
}
