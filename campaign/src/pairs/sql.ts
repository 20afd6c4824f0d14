import { join } from "node:path";
import { fileSink, fileSource, positionedInput } from "../ends/file.ts";
import { hostPort, KafkaTopic, kafkaProxy } from "../ends/kafka.ts";
import { PostgresDatabase } from "../ends/postgres.ts";
import { sqliteRecords } from "../ends/sqlite.ts";
import { PrivateServer, proxyTo } from "../servers.ts";
import { competitors } from "./competitors.ts";
import { type Pair, pluginFolder } from "./pair.ts";

/** Statements cost more than lines of a file. */
const SHARE = 0.4;

/** An upsert: whatever comes again is the same row. */
export const fileToPostgres: Pair = {
  name: "file-postgres",
  needs: ["postgres"],
  async open(world) {
    const server = await PrivateServer.start("postgres", world);
    const database = await PostgresDatabase.on(server, world);
    const { sink: end } = await database.records("rows");
    const sink = await proxyTo(server.address, world);
    const input = join(world.folder, "in.jsonl");
    return {
      plugins: [pluginFolder("postgres")],
      input: positionedInput(input),
      output: { sqlx: { url: database.through(sink.address), table: "rows", columns: "auto", key: "n" } },
      concurrency: 2,
      share: SHARE,
      source: fileSource(input),
      sink: end,
      faults: { sink, servers: [server] },
      order: "none",
      mayDouble: false,
    };
  },
};

/** Four processes take rows of one table; the others than the one under test are killed now and then as well. */
export const postgresQueueToFile: Pair = {
  name: "postgres-queue-file",
  needs: ["postgres"],
  async open(world) {
    const server = await PrivateServer.start("postgres", world);
    const database = await PostgresDatabase.on(server, world);
    const queue = await database.queue("jobs");
    const source = await proxyTo(server.address, world);
    const output = { file: { path: join(world.folder, "out.jsonl"), format: "raw" } };
    const input = { sqlx: { url: database.through(source.address), table: "jobs", delete_after_read: true } };
    const plugins = [pluginFolder("postgres")];
    const others = competitors({ count: 3, plugins, input, output }, world);
    return {
      plugins,
      input,
      output,
      concurrency: 1,
      share: SHARE,
      source: {
        append: async (rows) => {
          await others.disturb();
          await queue.append(rows);
        },
        isEmpty: queue.isEmpty!,
      },
      sink: fileSink(output.file.path),
      faults: { source, servers: [server] },
      order: "none",
      mayDouble: true,
      doubledByEnds: () => others.mayDouble(),
    };
  },
};

export const postgresToKafka: Pair = {
  name: "postgres-kafka",
  needs: ["postgres", "kafka"],
  async open(world) {
    const [postgres, kafka] = [await PrivateServer.start("postgres", world), await PrivateServer.start("kafka", world)];
    const database = await PostgresDatabase.on(postgres, world);
    const { source: end } = await database.records("rows");
    const topic = await KafkaTopic.create(kafka, "rows", 1, world);
    const [source, sink] = [await proxyTo(postgres.address, world), await kafkaProxy(kafka, world)];
    const url = database.through(source.address);
    return {
      plugins: [pluginFolder("postgres"), pluginFolder("kafka")],
      input: { sqlx: { url, table: "rows", cursor_column: "n", cursor_id: "campaign", cursor_safety: "snapshot" } },
      output: { kafka: { url: hostPort(sink.address), topic: topic.name } },
      concurrency: 1,
      share: SHARE,
      source: end,
      sink: topic.sink,
      faults: { source, sink, servers: [postgres, kafka] },
      order: "all",
      mayDouble: true,
    };
  },
};

/** The position stands in the source; the sink takes each row once. */
export const sqliteToSqlite: Pair = {
  name: "sqlite-sqlite",
  needs: [],
  async open(world) {
    const [from, to] = [join(world.folder, "from.db"), join(world.folder, "to.db")];
    const { source } = await sqliteRecords(from);
    const { sink } = await sqliteRecords(to);
    return {
      plugins: [pluginFolder("sqlite")],
      input: { sqlx: { url: `sqlite://${from}`, table: "rows", cursor_column: "n", cursor_id: "campaign" } },
      output: { sqlx: { url: `sqlite://${to}`, table: "rows", columns: "auto", key: "n" } },
      concurrency: 2,
      share: SHARE,
      source,
      sink,
      faults: { servers: [] },
      order: "none",
      mayDouble: false,
    };
  },
};
