import { FlakyServer } from "../ends/flaky-server.ts";
import { HttpPoster } from "../ends/http-poster.ts";
import { GROUP, hostPort, KafkaTopic, kafkaProxy } from "../ends/kafka.ts";
import { freePort, PrivateServer, proxyTo } from "../servers.ts";
import { type Pair, pluginFolder } from "./pair.ts";

const MOODS_SEED = 1;
/** A request for each row. */
const SHARE = 0.25;

export const httpToKafka: Pair = {
  name: "http-kafka",
  needs: ["kafka"],
  async open(world) {
    const server = await PrivateServer.start("kafka", world);
    const topic = await KafkaTopic.create(server, "rows", 3, world);
    const listens = { host: "127.0.0.1", port: await freePort() };
    const [source, sink] = [await proxyTo(listens, world), await kafkaProxy(server, world)];
    const poster = new HttpPoster(source.address);
    world.defer(() => poster.close());
    return {
      plugins: [pluginFolder("http"), pluginFolder("kafka")],
      input: { http: { url: hostPort(listens), path: "/rows", method: "POST" } },
      output: { kafka: { url: hostPort(sink.address), topic: topic.name } },
      concurrency: 2,
      share: SHARE,
      source: poster.source,
      sink: topic.sink,
      faults: { source, sink, servers: [server] },
      order: "none",
      mayDouble: true,
      doubledByEnds: () => poster.unclear,
    };
  },
};

export const kafkaToHttp: Pair = {
  name: "kafka-http",
  needs: ["kafka"],
  async open(world) {
    const server = await PrivateServer.start("kafka", world);
    const topic = await KafkaTopic.create(server, "rows", 3, world);
    const flaky = await FlakyServer.listen(MOODS_SEED);
    world.defer(() => flaky.close());
    const [source, sink] = [await kafkaProxy(server, world), await proxyTo(flaky.address, world)];
    const url = `http://${hostPort(sink.address)}/rows`;
    return {
      plugins: [pluginFolder("http"), pluginFolder("kafka")],
      input: { kafka: { url: hostPort(source.address), topic: topic.name, ...GROUP } },
      output: { http: { url, batch_concurrency: 8, request_timeout_ms: 1000 } },
      outputMiddlewares: [{ retry: { max_attempts: 20, initial_interval_ms: 5, max_interval_ms: 200 } }],
      concurrency: 1,
      share: SHARE,
      source: topic.source,
      sink: flaky.sink,
      faults: { source, sink, servers: [server] },
      order: "none",
      mayDouble: true,
      doubledByEnds: () => flaky.unanswered,
    };
  },
};
