import { join } from "node:path";
import { fileSink } from "../ends/file.ts";
import { GROUP, hostPort, KafkaTopic, kafkaProxy } from "../ends/kafka.ts";
import { NatsStream } from "../ends/nats.ts";
import { PrivateServer, proxyTo } from "../servers.ts";
import { BROKER_SHARE, type Pair, pluginFolder } from "./pair.ts";

export const natsToFile: Pair = {
  name: "nats-file",
  needs: ["nats"],
  async open(world) {
    const server = await PrivateServer.start("nats", world);
    const stream = await NatsStream.create(server, "rows");
    const source = await proxyTo(server.address, world);
    const output = join(world.folder, "out.jsonl");
    return {
      plugins: [pluginFolder("nats")],
      input: { nats: { url: `nats://${hostPort(source.address)}`, stream: stream.name, subject: stream.subject } },
      output: { file: { path: output, format: "raw" } },
      concurrency: 1,
      share: BROKER_SHARE,
      source: stream.source,
      sink: fileSink(output),
      faults: { source, servers: [server] },
      // What was in flight comes back later, behind younger messages.
      order: "none",
      mayDouble: true,
    };
  },
};

export const kafkaToNats: Pair = {
  name: "kafka-nats",
  needs: ["kafka", "nats"],
  async open(world) {
    const [kafka, nats] = [await PrivateServer.start("kafka", world), await PrivateServer.start("nats", world)];
    const topic = await KafkaTopic.create(kafka, "rows", 3, world);
    const stream = await NatsStream.create(nats, "rows");
    const [source, sink] = [await kafkaProxy(kafka, world), await proxyTo(nats.address, world)];
    return {
      plugins: [pluginFolder("kafka"), pluginFolder("nats")],
      input: { kafka: { url: hostPort(source.address), topic: topic.name, ...GROUP } },
      output: { nats: { url: `nats://${hostPort(sink.address)}`, stream: stream.name, subject: stream.subject } },
      concurrency: 1,
      share: BROKER_SHARE,
      source: topic.source,
      sink: stream.sink,
      faults: { source, sink, servers: [kafka, nats] },
      order: "key",
      mayDouble: true,
    };
  },
};

export const natsToKafka: Pair = {
  name: "nats-kafka",
  needs: ["kafka", "nats"],
  async open(world) {
    const [kafka, nats] = [await PrivateServer.start("kafka", world), await PrivateServer.start("nats", world)];
    const topic = await KafkaTopic.create(kafka, "rows", 3, world);
    const stream = await NatsStream.create(nats, "rows");
    const [source, sink] = [await proxyTo(nats.address, world), await kafkaProxy(kafka, world)];
    return {
      plugins: [pluginFolder("kafka"), pluginFolder("nats")],
      input: { nats: { url: `nats://${hostPort(source.address)}`, stream: stream.name, subject: stream.subject } },
      output: { kafka: { url: hostPort(sink.address), topic: topic.name } },
      concurrency: 2,
      share: BROKER_SHARE,
      source: stream.source,
      sink: topic.sink,
      faults: { source, sink, servers: [kafka, nats] },
      order: "none",
      mayDouble: true,
    };
  },
};
