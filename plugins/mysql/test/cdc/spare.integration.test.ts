import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { TempDir, testConnector } from "@mqb/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freshDatabase, SPARE, sql } from "../server.ts";
import { Capture } from "./capture.ts";
import { fixtureAt, pin, withFiles } from "./fixture.ts";

/** What stops the server, or changes its settings for everybody, on one that nobody else uses. */
const services = fileURLToPath(new URL("../../../../scripts/services", import.meta.url));
const service = async (verb: string): Promise<void> => {
  await promisify(execFile)(services, [verb, "mariadb-spare"]);
};
beforeAll(() => service("up"), 150_000);

// What the other server has shown already is not shown again.
const disturbing = Object.assign(
  ((name: string, ...rest: readonly unknown[]) => {
    if (/server that is|restart of the server/.test(name) && !name.startsWith("left out"))
      Reflect.apply(it, undefined, [name, ...rest]);
  }) as typeof it,
  it,
);

describe("a server that is stopped and killed", () => {
  const kill = async (): Promise<void> => {
    await service("kill");
    await service("up");
  };
  testConnector(
    { describe, it: disturbing },
    {
      plugin: withFiles,
      endpoint: "mysql_cdc",
      config: { input: { url: SPARE, cursor_id: "c", checkpoint_store: "state.json" } },
      fixture: fixtureAt(SPARE, {
        restart: () => service("restart"),
        kill,
        patienceMs: 60_000,
        timeoutMs: 180_000,
      }),
    },
  );
});

describe("settings of the server", () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let dir: TempDir;
  const rows = (query: string) => sql(query, database.url);
  const options = () => ({ url: database.url, cursor_id: "c", checkpoint_store: dir.file("state.json") });
  const restore = () =>
    sql(
      "SET GLOBAL binlog_format = ROW, GLOBAL binlog_row_image = FULL, GLOBAL binlog_row_metadata = FULL, GLOBAL log_bin_compress = OFF, GLOBAL binlog_checksum = CRC32",
      SPARE,
    );
  beforeEach(async () => {
    database = await freshDatabase(SPARE);
    dir = await TempDir.make();
    await rows("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(5000))");
  });
  afterEach(async () => {
    await restore();
    await database.drop();
    await dir.remove();
  });
  afterAll(restore);

  it.each([
    ["binlog_format", "MIXED"],
    ["binlog_row_image", "MINIMAL"],
    ["binlog_row_metadata", "MINIMAL"],
  ])("without whole rows of the log are refused: %s", async (name, value) => {
    await sql(`SET GLOBAL ${name} = ${value}`, SPARE);
    const error = (await Capture.open(options()).catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ code: "MQB_MYSQL_SETTING", kind: "config" });
    expect(error.message).toContain(`${name} ${value}`);
  });

  it("that were others when a change was written end the stream at that change", async () => {
    await pin(options());
    await sql("SET GLOBAL binlog_row_metadata = NO_LOG", SPARE);
    await rows("INSERT INTO t VALUES (1, 'x')");
    await sql("SET GLOBAL binlog_row_metadata = FULL", SPARE);
    const unnamed = await Capture.open(options());
    await expect(unnamed.receive()).rejects.toMatchObject({ code: "MQB_MYSQL_NO_NAMES", kind: "config" });
    await unnamed.close();
    await dir.remove();
    dir = await TempDir.make();
    await pin(options());
    await rows("SET binlog_row_image = MINIMAL; UPDATE t SET v = 'y' WHERE id = 1");
    const partial = await Capture.open(options());
    await expect(partial.receive()).rejects.toMatchObject({ code: "MQB_MYSQL_UNSEEN", kind: "config" });
    await partial.close();
    await dir.remove();
    dir = await TempDir.make();
    await pin(options());
    await rows("SET binlog_format = STATEMENT; CREATE TABLE other (id INT); INSERT INTO other VALUES (1)");
    await rows("INSERT INTO t VALUES (2, 'x')");
    const statement = await Capture.open({ ...options(), tables: ["t"] });
    expect(await statement.take(1)).toHaveLength(1);
    await rows("SET binlog_format = STATEMENT; UPDATE t SET v = 'z'");
    await expect(statement.receive()).rejects.toMatchObject({ code: "MQB_MYSQL_UNSEEN", kind: "config" });
    await statement.close();
  });

  it("for compression and checksums change nothing", async () => {
    await sql("SET GLOBAL log_bin_compress = ON, GLOBAL binlog_checksum = NONE", SPARE);
    await pin(options());
    await rows("INSERT INTO t VALUES (1, REPEAT('x', 5000)); UPDATE t SET v = REPEAT('y', 5000); DELETE FROM t");
    const source = await Capture.open(options());
    const messages = await source.take(3);
    expect(messages.map((message) => (message.json() as { v: string }).v[0])).toEqual(["x", "y", "y"]);
    await sql("SET GLOBAL binlog_checksum = CRC32", SPARE);
    await rows("INSERT INTO t VALUES (2, '2'); FLUSH BINARY LOGS; INSERT INTO t VALUES (3, '3')");
    expect((await source.take(2)).map((message) => message.text())).toEqual(['{"id":2,"v":"2"}', '{"id":3,"v":"3"}']);
    await source.close();
  });

  it("that let the log be purged end the start with what to do, and skip nothing", { timeout: 60_000 }, async () => {
    await pin(options());
    await rows("INSERT INTO t VALUES (1, 'x'); FLUSH BINARY LOGS");
    const [[file] = []] = await sql("SHOW MASTER STATUS", SPARE);
    // The threads of streams that have ended keep their files for a moment.
    const purge = async () => {
      await sql(`PURGE BINARY LOGS TO '${file}'`, SPARE);
      return (await sql("SHOW BINARY LOGS", SPARE))[0]![0];
    };
    await expect.poll(purge, { timeout: 30_000, interval: 500 }).toBe(file);
    await expect(Capture.open(options())).rejects.toMatchObject({ code: "MQB_MYSQL_PURGED", kind: "config" });
  });

  it("a second reader with the same number ends the first one, which says so", async () => {
    const first = await Capture.open({ ...options(), server_id: 4711 });
    const waiting = first.receive();
    waiting.catch(() => {});
    const second = await Capture.open({ ...options(), cursor_id: "d", server_id: 4711 });
    await rows("INSERT INTO t VALUES (1, 'x')");
    expect(await second.take(1)).toHaveLength(1);
    await expect(waiting).rejects.toMatchObject({ kind: "connection" });
    await first.close();
    await second.close();
  });
});
