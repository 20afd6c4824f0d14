import { readdir, readFile } from "node:fs/promises";
import { createBridge, createRegistry } from "@mqb/core";
import { type Message, nack } from "@mqb/core/plugin";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { CollectingPublisher, eventually, fakePlugin, TempDir } from "@mqb/testkit";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import plugin from "../../src/index.ts";
import { Capture } from "./capture.ts";
import { said } from "./feed.ts";
import { freshLab, type Lab } from "./slots.ts";

let lab: Lab;
beforeEach(async () => {
  lab = await freshLab();
});
afterEach(() => lab.drop());

type Options = Readonly<Record<string, unknown>>;

function config(more: Options = {}): Options {
  return { url: lab.url, publication: "p", slot_name: lab.slot, status_interval_ms: 500, ...more };
}

/** Gives a transaction to the stream in pieces as soon as it has 64 kB. */
function inPieces(): Options {
  const url = new URL(lab.url);
  url.searchParams.set("options", "-c logical_decoding_work_mem=64kB");
  return config({ url: url.href });
}

const ids = (messages: readonly Message[]): number[] =>
  messages.map((message) => (message.json() as { id: number }).id);

async function confirmed(): Promise<bigint> {
  const [row] = await lab.sql(
    "SELECT (confirmed_flush_lsn - '0/0')::text FROM pg_replication_slots WHERE database = current_database()",
  );
  return BigInt(row![0]!);
}

async function table(): Promise<void> {
  await lab.sql("CREATE TABLE t (id int PRIMARY KEY, v text); CREATE PUBLICATION p FOR TABLE t");
}

describe("transactions that come in pieces", () => {
  it("arrive whole, in the order of their commits, without what was rolled back", async () => {
    await table();
    const capture = await Capture.open(inPieces());
    const clients = await Promise.all([0, 1, 2].map(() => connected()));
    const [one, two, three] = clients as [pg.Client, pg.Client, pg.Client];
    await one.query("BEGIN; INSERT INTO t SELECT n, repeat('a', 50) FROM generate_series(1, 3000) n");
    await two.query("BEGIN; INSERT INTO t SELECT n, repeat('b', 50) FROM generate_series(10001, 13000) n");
    await three.query("BEGIN; INSERT INTO t SELECT n, repeat('c', 50) FROM generate_series(20001, 23000) n");
    await one.query(
      "SAVEPOINT s; INSERT INTO t SELECT n, repeat('x', 50) FROM generate_series(5001, 8000) n; ROLLBACK TO s; INSERT INTO t VALUES (3001, 'kept')",
    );
    await three.query("ROLLBACK");
    await two.query("COMMIT");
    await lab.sql("INSERT INTO t VALUES (99999, 'small')");
    await one.query("COMMIT");
    const messages = await capture.take(6002);
    expect(ids(messages)).toEqual([
      ...Array.from({ length: 3000 }, (_, n) => 10_001 + n),
      99_999,
      ...Array.from({ length: 3001 }, (_, n) => 1 + n),
    ]);
    expect(capture.details()["spooled_bytes"]).toBeGreaterThan(100_000);
    await capture.close();
    for (const client of clients) await client.end();
  });

  it("come again from where they were acked when the connection is lost in the middle", async () => {
    await table();
    const first = await Capture.open(inPieces());
    await lab.sql("INSERT INTO t SELECT n, repeat('a', 50) FROM generate_series(1, 4000) n");
    const taken = await first.take(1500, 500);
    await lab.sql(
      "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = current_database()",
    );
    await expect(
      eventually(() => first.receive(500).then((delivery) => void delivery), "the loss"),
    ).rejects.toMatchObject({
      kind: "connection",
    });
    await first.close();
    const second = await Capture.open(inPieces(), { session: first.session });
    const rest = await second.take(4000 - taken.length);
    expect(ids([...taken, ...rest])).toEqual(Array.from({ length: 4000 }, (_, n) => n + 1));
    await second.close();
  });
});

async function connected(): Promise<pg.Client> {
  const client = new pg.Client(lab.url);
  await client.connect();
  return client;
}

describe("values that an update leaves alone", () => {
  it.each([
    ["text", "repeat(md5('x'), 300)"],
    ["jsonb", "to_jsonb(array_fill(md5('x'), array[500]))"],
    ["bytea", "decode(repeat(md5('x'), 500), 'hex')"],
    ["text[]", "array_fill(md5('x'), array[500])"],
  ])("and that the server keeps apart are named, or there with REPLICA IDENTITY FULL: %s", async (type, value) => {
    await lab.sql(
      `CREATE TABLE t (id int PRIMARY KEY, title text, body ${type}); ALTER TABLE t ALTER body SET STORAGE external; CREATE PUBLICATION p FOR TABLE t`,
    );
    const capture = await Capture.open(config());
    await lab.sql(`INSERT INTO t VALUES (1, 'a', ${value}); UPDATE t SET title = 'b'`);
    const [inserted, updated] = await capture.take(2);
    expect(updated!.metadata.get("postgres.unchanged")).toBe("body");
    expect(updated!.json()).toEqual({ id: 1, title: "b" });
    await lab.sql("ALTER TABLE t REPLICA IDENTITY FULL; UPDATE t SET title = 'c'; UPDATE t SET body = NULL");
    const [full, nulled] = await capture.take(2);
    expect(full!.metadata.has("postgres.unchanged")).toBe(false);
    expect(full!.json()).toEqual({ ...(inserted!.json() as object), title: "c" });
    expect(nulled!.json()).toEqual({ id: 1, title: "c", body: null });
    await capture.close();
  });
});

describe("old rows", () => {
  it("say as much as the table's replica identity", async () => {
    await lab.sql(
      "CREATE TABLE t (id int PRIMARY KEY, code text NOT NULL UNIQUE, v text); ALTER TABLE t REPLICA IDENTITY USING INDEX t_code_key; CREATE TABLE n (v text); ALTER TABLE n REPLICA IDENTITY FULL; CREATE PUBLICATION p FOR TABLE t, n",
    );
    const capture = await Capture.open(config());
    await lab.sql(
      "INSERT INTO t VALUES (1, 'a', 'x'); UPDATE t SET code = 'b'; DELETE FROM t; INSERT INTO n VALUES ('q'); DELETE FROM n",
    );
    expect((await capture.take(5)).map(said)).toEqual([
      'insert ["a"] {"id":1,"code":"a","v":"x"}',
      'update ["b"] ["a"] {"id":1,"code":"b","v":"x"}',
      'delete ["b"] {"id":null,"code":"b","v":null}',
      'insert ["q"] {"v":"q"}',
      'delete ["q"] {"v":"q"}',
    ]);
    await capture.close();
  });
});

it("changes of partitions come under the partition's name, or the table's where the publication says so", async () => {
  await lab.sql(
    "CREATE TABLE t (id int, k int, PRIMARY KEY (id, k)) PARTITION BY LIST (k); CREATE TABLE t1 PARTITION OF t FOR VALUES IN (1); CREATE TABLE t2 PARTITION OF t FOR VALUES IN (2); CREATE PUBLICATION p FOR TABLE t; CREATE PUBLICATION root FOR TABLE t WITH (publish_via_partition_root)",
  );
  const capture = await Capture.open(config());
  const rooted = await Capture.open(config({ publication: "root", slot_name: `${lab.slot}_r` }));
  await lab.sql("INSERT INTO t VALUES (1, 1); UPDATE t SET k = 2");
  const names = (messages: readonly Message[]): (string | undefined)[] =>
    messages.map(({ metadata }) => `${metadata.get("postgres.operation")} ${metadata.get("postgres.table")}`);
  expect(names(await capture.take(3))).toEqual(["insert t1", "delete t1", "insert t2"]);
  expect(names(await rooted.take(3))).toEqual(["insert t", "delete t", "insert t"]);
  await capture.close();
  await rooted.close();
});

describe("the slot", () => {
  it("stays before what is not acked, says how far it is behind, and moves with the ack", async () => {
    await table();
    const capture = await Capture.open(config());
    const before = await confirmed();
    await lab.sql("INSERT INTO t VALUES (1, 'a')");
    const held = await capture.receive();
    await lab.sql("CREATE TABLE other AS SELECT repeat('x', 1000) FROM generate_series(1, 3000)");
    await lab.sql("INSERT INTO t VALUES (2, 'b')");
    const second = await capture.receive();
    expect(await confirmed()).toBeLessThan(before + 10_000n);
    expect(capture.details()["lag_bytes"]).toBeGreaterThan(1_000_000);
    await held.commit();
    await second.commit();
    await eventually(async () => (await confirmed()) > before + 1_000_000n, "the slot to move");
    expect(capture.details()["lag_bytes"]).toBeLessThan(100_000);
    await capture.close();
  });

  it("says how far it is behind also while so much waits that nothing is read", async () => {
    await table();
    const capture = await Capture.open(config());
    for (let n = 0; n < 10; n++)
      await lab.sql(`INSERT INTO t SELECT ${n} * 1000 + i, repeat('x', 1000) FROM generate_series(1, 1000) i`);
    await eventually(() => Number(capture.details()["unsettled"]) >= 4000, "the rows that are read");
    await lab.sql("CREATE TABLE other AS SELECT repeat('x', 1000) FROM generate_series(1, 60000)");
    await eventually(() => Number(capture.details()["lag_bytes"]) > 60_000_000, "how much the server keeps");
    expect(ids(await capture.take(10_000))).toHaveLength(10_000);
    await capture.close();
  });

  it("of a quiet table follows the server while others write", async () => {
    await table();
    const capture = await Capture.open(config());
    const before = await confirmed();
    await lab.sql(
      "CREATE UNLOGGED TABLE u (v text); CREATE TABLE busy AS SELECT repeat('x', 1000) v FROM generate_series(1, 8000)",
    );
    await eventually(async () => (await confirmed()) > before + 4_000_000n, "the slot to follow");
    await capture.close();
  });

  it("gives nothing again after restarts, and everything after a kill before the ack", async () => {
    await table();
    const first = await Capture.open(config());
    await lab.sql("INSERT INTO t SELECT n, 'x' FROM generate_series(1, 4) n");
    const delivery = await first.receive();
    expect(delivery.batch.length).toBe(4);
    await lab.sql(
      "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = current_database()",
    );
    await expect(first.receive()).rejects.toMatchObject({ kind: "connection" });
    await first.close();
    const active = "SELECT 1 FROM pg_replication_slots WHERE database = current_database() AND active";
    await eventually(async () => (await lab.sql(active)).length === 0, "the end of the server's process");
    const again = await Capture.open(config());
    expect(ids(await again.take(4))).toEqual([1, 2, 3, 4]);
    await again.close();
    for (let n = 0; n < 3; n++) {
      const capture = await Capture.open(config(), { draining: true });
      expect(await capture.drain()).toEqual([]);
      await capture.close();
    }
  });
});

it("what is given back comes again in the same process, with what was behind it", async () => {
  await table();
  const capture = await Capture.open(config());
  await lab.sql("INSERT INTO t SELECT n, 'x' FROM generate_series(1, 6) n");
  const [first, second] = [await capture.receive(3), await capture.receive(3)];
  await first.commit([{ type: "ack" }, nack(new Error("no")), { type: "ack" }]);
  await second.commit();
  expect(ids(await capture.take(5))).toEqual([2, 3, 4, 5, 6]);
  await capture.close();
});

it("parts are named by the places of their changes", async () => {
  await using dir = await TempDir.make();
  await table();
  await lab.sql(`SELECT pg_create_logical_replication_slot('${lab.slot}', 'pgoutput')`);
  await lab.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')");
  const bridge = createBridge({ registry: createRegistry([standard, file, plugin]) });
  const path = dir.file("parts");
  const output = { file: { path, format: "raw", name_by: "source_position" } };
  for (let n = 0; n < 2; n++) {
    const route = bridge.route(`r${n}`, { exit_on_empty: true, input: { postgres_cdc: config() }, output });
    await route.start();
    expect((await route.done).outcome).toBe("completed");
  }
  const names = (await readdir(path)).filter((name) => name.startsWith("part-"));
  expect(names).toHaveLength(1);
  expect(names[0]).toMatch(new RegExp(`^part-postgres_cdc-${lab.slot}-\\d{20}-0{10}-0{20}-0{19}1\\.`));
  expect(await readFile(dir.file(`parts/${names[0]}`), "utf8")).toBe('{"id":1,"v":"a"}\n{"id":2,"v":"b"}\n');
});

it("a sink that refuses everything for a while, across a restart, loses nothing and gets it in order", async () => {
  await table();
  const sink = new CollectingPublisher();
  const bridge = createBridge({
    registry: createRegistry([standard, plugin, fakePlugin({ sink: { publisher: () => sink } })]),
  });
  const options = { reconnect_interval_ms: 20, input: { postgres_cdc: config() }, output: { sink: {} } };
  const first = bridge.route("first", options);
  await first.start();
  sink.failWhen(() => new Error("503"));
  const before = await confirmed();
  await lab.sql("INSERT INTO t SELECT n, 'x' FROM generate_series(1, 5) n");
  await sink.sent(3);
  await first.stop();
  expect(sink.messages).toEqual([]);
  expect(await confirmed()).toBe(before);
  const second = bridge.route("second", options);
  await second.start();
  await lab.sql("INSERT INTO t VALUES (6, 'y')");
  await sink.sent(6);
  expect(sink.messages).toEqual([]);
  sink.failWhen(undefined);
  await eventually(() => sink.messages.length >= 6, "all six");
  await second.stop();
  expect(ids(sink.messages)).toEqual([1, 2, 3, 4, 5, 6]);
});
