import { join } from "node:path";
import pg from "pg";
import { fileSink } from "../ends/file.ts";
import { hostPort, KafkaTopic, kafkaProxy } from "../ends/kafka.ts";
import { PostgresDatabase } from "../ends/postgres.ts";
import { PrivateServer, proxyTo } from "../servers.ts";
import { type Pair, pluginFolder, type SourceEnd, type World } from "./pair.ts";

/** Statements cost more than lines of a file. */
const SHARE = 0.4;
/** Rows that are committed together: a process that is killed reads the transaction again in which it was. */
const TOGETHER = 10;

export const postgresCdcToFile: Pair = {
  name: "postgres-cdc-file",
  needs: ["postgres"],
  async open(world) {
    const { server, source, end, input } = await changes(world);
    const path = join(world.folder, "out.jsonl");
    return {
      plugins: [pluginFolder("postgres")],
      input,
      output: { file: { path, format: "raw" } },
      concurrency: 1,
      share: SHARE,
      source: end,
      sink: fileSink(path),
      faults: { source, servers: [server] },
      order: "all",
      mayDouble: true,
    };
  },
};

export const postgresCdcToKafka: Pair = {
  name: "postgres-cdc-kafka",
  needs: ["postgres", "kafka"],
  async open(world) {
    const { server, source, end, input } = await changes(world);
    const kafka = await PrivateServer.start("kafka", world);
    const topic = await KafkaTopic.create(kafka, "rows", 1, world);
    const sink = await kafkaProxy(kafka, world);
    return {
      plugins: [pluginFolder("postgres"), pluginFolder("kafka")],
      input,
      output: { kafka: { url: hostPort(sink.address), topic: topic.name } },
      concurrency: 1,
      share: SHARE,
      source: end,
      sink: topic.sink,
      faults: { source, sink, servers: [server, kafka] },
      order: "all",
      mayDouble: true,
    };
  },
};

/** A table whose changes are captured from before its first row on. */
async function changes(world: World): Promise<Changes> {
  const server = await PrivateServer.start("postgres", world);
  const database = await PostgresDatabase.on(server, world);
  const { source: whole } = await database.records("rows");
  const client = new pg.Client({ connectionString: database.url.href });
  await client.connect();
  await client.query("CREATE PUBLICATION campaign FOR TABLE rows");
  await client.query("SELECT pg_create_logical_replication_slot('campaign', 'pgoutput')");
  await client.end();
  const source = await proxyTo(server.address, world);
  const cdc = {
    url: database.through(source.address),
    publication: "campaign",
    slot_name: "campaign",
    status_interval_ms: 1000,
    checkpoint_store: `file://${join(world.folder, "tables.json")}`,
  };
  const end: SourceEnd = {
    async append(rows) {
      for (let at = 0; at < rows.length; at += TOGETHER) await whole.append(rows.slice(at, at + TOGETHER));
    },
  };
  return { server, source, end, input: { postgres_cdc: cdc } };
}

interface Changes {
  readonly server: PrivateServer;
  readonly source: Awaited<ReturnType<typeof proxyTo>>;
  readonly end: SourceEnd;
  readonly input: object;
}
