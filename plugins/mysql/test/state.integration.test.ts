import { createBridge, createRegistry } from "@mqb/core";
import { describeError } from "@mqb/core/plugin";
import dedup from "@mqb/dedup";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { FakeClock, fakeContext, TempDir } from "@mqb/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { read } from "./ends.ts";
import { freshDatabase, sql } from "./server.ts";

const registry = createRegistry([standard, file, dedup, plugin]);
let dir: TempDir;
let database: Awaited<ReturnType<typeof freshDatabase>>;
beforeEach(async () => {
  dir = await TempDir.make();
  database = await freshDatabase();
});
afterEach(async () => {
  await database.drop();
  await dir.remove();
});

const rows = (query: string) => sql(query, database.url);

/** Copies one file into another one, without keys that were seen. */
async function copy(name: string, ids: readonly number[]): Promise<void> {
  await dir.write(`${name}.in.jsonl`, ids.map((id) => `{"id":${id}}\n`).join(""));
  const bridge = createBridge({ registry, baseDir: dir.path });
  const deduplication = { store: database.url, ttl_seconds: 3600, key: "${payload:id}" };
  const route = bridge.route("r", {
    exit_on_empty: true,
    concurrency: 4,
    batch_size: 50,
    input: { file: { path: `${name}.in.jsonl`, format: "raw" }, middlewares: [{ deduplication }] },
    output: { file: { path: `${name}.out.jsonl`, format: "raw" } },
  });
  await route.start();
  const { outcome, error } = await route.done;
  expect(outcome, describeError(error)).toBe("completed");
  await bridge.stop();
}

async function copied(...names: readonly string[]): Promise<number[]> {
  const texts = await Promise.all(names.map((name) => dir.read(`${name}.out.jsonl`).catch(() => "")));
  const lines = texts.flatMap((text) => text.split("\n").filter((line) => line !== ""));
  return lines.map((line) => (JSON.parse(line) as { id: number }).id).sort((a, b) => a - b);
}

describe("keys of deduplication in MariaDB", () => {
  it("let each message pass once between two routes at the same time, and later", async () => {
    const ids = Array.from({ length: 600 }, (_, id) => id);
    await Promise.all([copy("a", ids), copy("b", ids)]);
    expect(await copied("a", "b")).toEqual(ids);
    await copy("c", [...ids, 1000]);
    expect(await copied("c")).toEqual([1000]);
  });

  it("that the original has written are known, and expire as it has said", async () => {
    const hex = (id: number) => `'${Buffer.from(String(id)).toString("hex")}'`;
    await rows(
      `CREATE TABLE mqb_dedup_r (dedup_key VARCHAR(255) PRIMARY KEY, expire_at BIGINT NOT NULL); INSERT INTO mqb_dedup_r VALUES (${hex(1)}, UNIX_TIMESTAMP() + 1000), (${hex(2)}, UNIX_TIMESTAMP() - 1000)`,
    );
    await copy("a", [1, 2, 3]);
    expect(await copied("a")).toEqual([2, 3]);
    // What ours writes, the original reads: the end of each key in seconds.
    expect(await rows("SELECT COUNT(*) FROM mqb_dedup_r WHERE expire_at > UNIX_TIMESTAMP()")).toEqual([["3"]]);
  });
});

it("keys of deduplication that have expired are deleted now and then, held ones among them", async () => {
  const clock = new FakeClock();
  const store = await plugin.stores!["mysql"]!.open(`${database.url}?table=seen&layout=dedup`, fakeContext({ clock }));
  try {
    const put = (key: string, value: string, seconds: number) =>
      store.putMany([{ key, value: Buffer.from(value), expiresAt: clock.now() + seconds * 1000 }]);
    const keys = async () => (await rows("SELECT dedup_key FROM seen ORDER BY 1")).flat();
    await put("seen, over", "", 10);
    await put("held, over", "claimed", 10);
    await put("seen", "", 1000);
    await put("held", "claimed", 1000);
    await put("'; it's ? \\", "", 10);
    await clock.advance(59_000);
    await put("early", "", 1000);
    expect(await keys()).toHaveLength(6);
    await clock.advance(1000);
    await put("late", "", 1000);
    expect(await keys()).toEqual(["early", "held", "late", "seen"]);
  } finally {
    await store.close();
  }
});

describe("positions in MariaDB", () => {
  beforeEach(() => rows("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3), (4), (5), (6), (7)"));
  const input = (more: object) => ({ url: database.url, table: "t", cursor_column: "id", ...more });

  it.each([
    ["a bare position", "int:5"],
    ["an envelope", '{"mqb_checkpoint":1,"source":"sqlx:t:id","value":"uint:5","updated_at_ms":1}'],
  ])("of the original are taken over: %s", async (_, stored) => {
    await rows(
      `CREATE TABLE mqb_cursors_t (cursor_id VARCHAR(255) PRIMARY KEY, last_value TEXT); INSERT INTO mqb_cursors_t VALUES ('t:c', '${stored}')`,
    );
    expect(await read(input({ cursor_id: "c" }))).toEqual(['{"id":6}', '{"id":7}']);
    expect(await rows("SELECT JSON_VALUE(last_value, '$.value') FROM mqb_cursors_t")).toEqual([["int:7"]]);
  });

  it("that belong to another table are refused, and kept", async () => {
    const stored = '{"mqb_checkpoint":1,"source":"sqlx:other:id","value":"int:5","updated_at_ms":1}';
    await rows(
      `CREATE TABLE mqb_cursors_t (cursor_id VARCHAR(255) PRIMARY KEY, last_value TEXT); INSERT INTO mqb_cursors_t VALUES ('t:c', '${stored}')`,
    );
    await expect(read(input({ cursor_id: "c" }))).rejects.toMatchObject({ code: "MQB_SQL_CHECKPOINT_OTHER" });
    expect(await rows("SELECT last_value FROM mqb_cursors_t")).toEqual([[stored]]);
  });

  it("may be kept in a table of another name, or in a store of the other scheme", async () => {
    expect(await read(input({ cursor_id: "c", checkpoint_store: "my_cursors" }))).toHaveLength(7);
    expect(await rows("SELECT cursor_id FROM my_cursors")).toEqual([["t:c"]]);
    const store = database.url.replace(/^mysql:/, "mariadb:");
    expect(await read(input({ cursor_id: "d", checkpoint_store: store }))).toHaveLength(7);
    expect(await read(input({ cursor_id: "d", checkpoint_store: store }))).toEqual([]);
    expect(await rows("SELECT cursor_id FROM mqb_cursors_t")).toEqual([["t:d"]]);
  });
});

it("a lease in a store is of one owner: one that wakes up late cannot write any more", async () => {
  const clock = new FakeClock();
  const open = () =>
    plugin.stores!["mariadb"]!.open(database.url.replace(/^mysql:/, "mariadb:"), fakeContext({ clock }));
  const [slow, quick] = [await open(), await open()];
  try {
    const lease = (owner: string) => ({ key: "lease", value: Buffer.from(owner), expiresAt: clock.now() + 1000 });
    const [taken] = await slow.putMany([{ ...lease("slow"), expectedVersion: null }]);
    const [refused] = await quick.putMany([{ ...lease("quick"), expectedVersion: null }]);
    expect([taken!.type, refused!.type]).toEqual(["written", "conflict"]);
    await clock.advance(1001);
    const [next] = await quick.putMany([{ ...lease("quick"), expectedVersion: null }]);
    expect(next!.type).toBe("written");
    const version = (taken as { version: string }).version;
    const [late] = await slow.putMany([{ ...lease("slow"), expectedVersion: version }]);
    expect(late).toMatchObject({ type: "conflict", current: { value: Buffer.from("quick") } });
  } finally {
    await slow.close();
    await quick.close();
  }
});
