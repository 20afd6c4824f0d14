import { join } from "node:path";
import { FaultProxy } from "@mqb/testkit";
import { fileSink } from "../ends/file.ts";
import { hostPort, KafkaTopic, kafkaProxy } from "../ends/kafka.ts";
import { NatsStream } from "../ends/nats.ts";
import { PrivateServer } from "../servers.ts";
import { type Pair, pluginFolder } from "./pair.ts";

export const natsToFile: Pair = {
  name: "nats-file",
  needs: ["nats"],
  async open(folder) {
    const server = await PrivateServer.start("nats", folder);
    const stream = await NatsStream.create(server, "rows");
    const source = await FaultProxy.to(server.address);
    const output = join(folder, "out.jsonl");
    return {
      plugins: [pluginFolder("nats")],
      input: { nats: { url: `nats://${hostPort(source.address)}`, stream: stream.name, subject: stream.subject } },
      output: { file: { path: output, format: "raw" } },
      concurrency: 1,
      source: stream.source,
      sink: fileSink(output),
      faults: { source, servers: [server] },
      // What was in flight comes back later, behind younger messages.
      order: "none",
      mayDouble: true,
      async close() {
        await source.close();
        await server.remove();
      },
    };
  },
};

export const kafkaToNats: Pair = {
  name: "kafka-nats",
  needs: ["kafka", "nats"],
  async open(folder) {
    const [kafka, nats] = [await PrivateServer.start("kafka", folder), await PrivateServer.start("nats", folder)];
    const topic = await KafkaTopic.create(kafka, "rows", 3);
    const stream = await NatsStream.create(nats, "rows");
    const [source, sink] = [await kafkaProxy(kafka), await FaultProxy.to(nats.address)];
    return {
      plugins: [pluginFolder("kafka"), pluginFolder("nats")],
      input: { kafka: { url: hostPort(source.address), topic: topic.name, group_id: "campaign" } },
      output: { nats: { url: `nats://${hostPort(sink.address)}`, stream: stream.name, subject: stream.subject } },
      concurrency: 1,
      source: topic.source,
      sink: stream.sink,
      faults: { source, sink, servers: [kafka, nats] },
      order: "key",
      mayDouble: true,
      async close() {
        await Promise.all([source.close(), sink.close(), topic.close()]);
        await Promise.all([kafka.remove(), nats.remove()]);
      },
    };
  },
};

export const natsToKafka: Pair = {
  name: "nats-kafka",
  needs: ["kafka", "nats"],
  async open(folder) {
    const [kafka, nats] = [await PrivateServer.start("kafka", folder), await PrivateServer.start("nats", folder)];
    const topic = await KafkaTopic.create(kafka, "rows", 3);
    const stream = await NatsStream.create(nats, "rows");
    const [source, sink] = [await FaultProxy.to(nats.address), await kafkaProxy(kafka)];
    return {
      plugins: [pluginFolder("kafka"), pluginFolder("nats")],
      input: { nats: { url: `nats://${hostPort(source.address)}`, stream: stream.name, subject: stream.subject } },
      output: { kafka: { url: hostPort(sink.address), topic: topic.name } },
      concurrency: 2,
      source: stream.source,
      sink: topic.sink,
      faults: { source, sink, servers: [kafka, nats] },
      order: "none",
      mayDouble: true,
      async close() {
        await Promise.all([source.close(), sink.close(), topic.close()]);
        await Promise.all([kafka.remove(), nats.remove()]);
      },
    };
  },
};
