import { GROUP, hostPort, KafkaTopic } from "../ends/kafka.ts";
import { NatsStream } from "../ends/nats.ts";
import { pluginFolder, type World } from "../pairs/pair.ts";
import { PrivateServer } from "../servers.ts";

/** A broker of the soak's own, and an endpoint that is written to by one route and read by another. */
export interface Broker {
  readonly server: PrivateServer;
  readonly plugins: readonly string[];
  readonly endpoint: object;
  /** What only the reading side has. */
  readonly reading: object;
}

/** Both keep little of what was read: a soak is not to fill the disk. */
const KEPT = { "retention.bytes": String(256 << 20), "segment.bytes": String(32 << 20) };

export const brokers: Readonly<Record<string, (world: World) => Promise<Broker>>> = {
  async kafka(world) {
    const server = await PrivateServer.start("kafka", world);
    const topic = await KafkaTopic.create(server, "rows", 3, world, KEPT);
    return {
      server,
      plugins: [pluginFolder("kafka")],
      endpoint: { kafka: { url: hostPort(server.address), topic: topic.name } },
      reading: GROUP,
    };
  },
  async nats(world) {
    const server = await PrivateServer.start("nats", world);
    const stream = await NatsStream.create(server, "rows", "workqueue");
    return {
      server,
      plugins: [pluginFolder("nats")],
      endpoint: { nats: { url: `nats://${hostPort(server.address)}`, stream: stream.name, subject: stream.subject } },
      reading: {},
    };
  },
};
