import { fileURLToPath } from "node:url";
import { createBridge, createRegistry } from "@mqb/core";
import { Message } from "@mqb/core/plugin";
import sqlite from "@mqb/sqlite";
import standard from "@mqb/standard";
import { FakeClock, fakeContext, type RunningProcess, runProcess, TempDir } from "@mqb/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { freshDatabase, sql } from "./server.ts";

const PROGRAM = fileURLToPath(new URL("stateful-route.ts", import.meta.url));
const WORKSPACE = fileURLToPath(new URL("../../..", import.meta.url));
const COUNT = 1500;
const KEYS = 7;
const KILLS = 2;
/** Messages that one process can have in flight when it is killed. */
const IN_FLIGHT = 50 * (4 + 4);
const TIMEOUT_MS = 180_000;

interface Row {
  readonly id: number;
  readonly k: number;
  readonly f?: { readonly n: number; readonly ids: number };
}

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

const stores: Readonly<Record<string, () => string>> = {
  PostgreSQL: () => database.url,
  SQLite: () => `sqlite://${dir.file("state.db")}`,
};

function start(store: string, middleware: string, name: string): RunningProcess {
  const args = ["--conditions=@mqb/source", "--import", "tsx", PROGRAM, dir.path, store, middleware, name];
  return runProcess({ args, cwd: WORKSPACE });
}

async function write(name: string): Promise<void> {
  const rows = Array.from({ length: COUNT }, (_, id) => `{"id":${id},"k":${id % KEYS}}\n`);
  await dir.write(`${name}.in.jsonl`, rows.join(""));
}

async function written(name: string): Promise<Row[]> {
  const lines = (await dir.read(`${name}.out.jsonl`).catch(() => "")).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
}

async function completed(child: RunningProcess): Promise<void> {
  await child.ended;
  expect(child.stdout, child.stderr).toContain("completed");
}

/** Kills it some times, then lets it end. */
async function killedInBetween(store: string, middleware: string): Promise<number> {
  for (let killed = 0; ; ) {
    await using child = start(store, middleware, "a");
    await child.line(/^started$/);
    if (killed === KILLS) {
      await completed(child);
      return killed;
    }
    const { signal } = await child.killSomewhere(400);
    if (signal !== "SIGKILL") return killed;
    killed++;
  }
}

describe.each(Object.keys(stores))("state in %s", (name) => {
  it(
    "of deduplication lets each message pass once between two processes, and knows it after their end",
    async () => {
      const store = stores[name]!();
      for (const one of ["a", "b"]) await write(one);
      const pair = [start(store, "deduplication", "a"), start(store, "deduplication", "b")];
      for (const child of pair) await completed(child);
      const ids = [...(await written("a")), ...(await written("b"))].map(({ id }) => id);
      expect(ids).toHaveLength(COUNT);
      expect(new Set(ids).size).toBe(COUNT);
      await write("c");
      await completed(start(store, "deduplication", "c"));
      expect(await written("c")).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "of deduplication loses nothing at a kill -9, and lets nothing pass again but what was in flight",
    async () => {
      const store = stores[name]!();
      await write("a");
      const killed = await killedInBetween(store, "deduplication");
      const ids = (await written("a")).map(({ id }) => id);
      expect(new Set(ids).size).toBe(COUNT);
      expect(ids.length).toBeLessThanOrEqual(COUNT + killed * IN_FLIGHT);
    },
    TIMEOUT_MS,
  );

  it(
    "of an aggregate counts each message of two processes once",
    async () => {
      const store = stores[name]!();
      for (const one of ["a", "b"]) await write(one);
      const pair = [start(store, "aggregate", "a"), start(store, "aggregate", "b")];
      for (const child of pair) await completed(child);
      const rows = [...(await written("a")), ...(await written("b"))];
      expect(rows).toHaveLength(2 * COUNT);
      for (let k = 0; k < KEYS; k++) {
        const counts = rows.filter((row) => row.k === k).map((row) => row.f!.n);
        // Each number was given once.
        expect(new Set(counts).size).toBe(counts.length);
        expect(Math.max(...counts)).toBe(counts.length);
      }
    },
    TIMEOUT_MS,
  );

  it(
    "of an aggregate has everything after a kill -9, and counts again only what was in flight",
    async () => {
      const store = stores[name]!();
      await write("a");
      const killed = await killedInBetween(store, "aggregate");
      const rows = await written("a");
      expect(new Set(rows.map(({ id }) => id)).size).toBe(COUNT);
      let counted = 0;
      for (let k = 0; k < KEYS; k++) counted += Math.max(...rows.filter((row) => row.k === k).map((row) => row.f!.n));
      expect(counted).toBeGreaterThanOrEqual(COUNT);
      expect(counted).toBeLessThanOrEqual(COUNT + killed * IN_FLIGHT);
    },
    TIMEOUT_MS,
  );
});

describe("tables of the original", () => {
  const registry = createRegistry([standard, sqlite, plugin]);
  const open = (url: string, clock = new FakeClock()) => createBridge({ registry, clock }).openStore(url);
  const text = (value: string) => new Message(value).payload;

  it.each(Object.keys(stores))("are made in %s as the original makes them", async (name) => {
    const url = stores[name]!();
    for (const layout of ["dedup", "aggregate", "positions"]) {
      const query = url.includes("?") ? "&" : "?";
      await (await open(`${url}${query}layout=${layout}&default_table=mqb_${layout}_r`)).close();
    }
    if (name === "SQLite") return;
    expect(
      await sql(
        "select table_name, column_name, data_type, character_maximum_length, is_nullable from information_schema.columns where table_schema='public' order by 1,2",
        database.url,
      ),
    ).toEqual([
      ["mqb_aggregate_r", "agg_key", "character varying", "512", "NO"],
      ["mqb_aggregate_r", "state", "text", null, "NO"],
      ["mqb_aggregate_r", "version", "bigint", null, "NO"],
      ["mqb_dedup_r", "dedup_key", "character varying", "255", "NO"],
      ["mqb_dedup_r", "expire_at", "bigint", null, "NO"],
      ["mqb_positions_r", "cursor_id", "character varying", "255", "NO"],
      ["mqb_positions_r", "last_value", "text", null, "YES"],
    ]);
    expect(
      await sql("SELECT indexdef FROM pg_indexes WHERE indexname = 'mqb_dedup_r_expire_idx'", database.url),
    ).toEqual([["CREATE INDEX mqb_dedup_r_expire_idx ON public.mqb_dedup_r USING btree (expire_at)"]]);
  });

  it("are taken over: keys that have not expired, states with their versions", async () => {
    const clock = new FakeClock();
    const later = clock.now() / 1000 + 100;
    await sql(
      `CREATE TABLE mqb_dedup_r (dedup_key VARCHAR(255) PRIMARY KEY, expire_at BIGINT NOT NULL);
       INSERT INTO mqb_dedup_r VALUES ('31', ${later}), ('32', ${later - 200});
       CREATE TABLE mqb_aggregate_r (agg_key VARCHAR(512) PRIMARY KEY, state TEXT NOT NULL, version BIGINT NOT NULL);
       INSERT INTO mqb_aggregate_r VALUES ('f:a', '[3.0]', 7)`,
      database.url,
    );
    const keys = await open(`${database.url}?layout=dedup&default_table=mqb_dedup_r`, clock);
    const claims = await keys.putMany(
      ["31", "32", "33"].map((key) => ({
        key,
        value: text("claimed"),
        expectedVersion: null,
        expiresAt: clock.now() + 5000,
      })),
    );
    expect(claims.map(({ type }) => type)).toEqual(["conflict", "written", "written"]);
    expect(claims[0]).toMatchObject({ current: { key: "31", expiresAt: later * 1000 } });
    await keys.close();
    const states = await open(`${database.url}?layout=aggregate&default_table=mqb_aggregate_r`);
    const [entry] = await states.getMany(["f:a"]);
    expect([entry!.version, Buffer.from(entry!.value).toString()]).toEqual(["7", "[3.0]"]);
    const results = await states.putMany([
      { key: "f:a", value: text("[4.0]"), expectedVersion: "7" },
      { key: "f:b", value: text("[1.0]"), expectedVersion: null },
      { key: "f:c", value: text("[1.0]"), expectedVersion: "1" },
    ]);
    expect(results).toEqual([
      { type: "written", version: "8" },
      { type: "written", version: "1" },
      { type: "conflict" },
    ]);
    await states.close();
    expect(await sql("SELECT * FROM mqb_aggregate_r ORDER BY 1", database.url)).toEqual([
      ["f:a", "[4.0]", "8"],
      ["f:b", "[1.0]", "1"],
    ]);
  });

  it.each(Object.keys(stores))(
    "are written in %s only by who holds a key: one that was asleep is refused",
    async (name) => {
      const url = `${stores[name]!()}?layout=dedup&default_table=mqb_dedup_r`;
      const clock = new FakeClock();
      const [first, second] = [await open(url, clock), await open(url, clock)];
      const claim = () => [{ key: "31", value: text("claimed"), expectedVersion: null, expiresAt: clock.now() + 5000 }];
      const [old] = await first.putMany(claim());
      expect(old!.type).toBe("written");
      const [refused] = await second.putMany(claim());
      expect(refused).toMatchObject({ type: "conflict", current: { key: "31" } });
      await clock.advance(5000);
      const [taken] = await second.putMany(claim());
      expect(taken!.type).toBe("written");
      const settle = (result: typeof taken, expiresAt: number) => [
        { key: "31", value: text(""), expectedVersion: (result as { version: string }).version, expiresAt },
      ];
      for (const end of [clock.now() + 60_000, 0])
        expect((await first.putMany(settle(old, end)))[0]!.type).toBe("conflict");
      expect((await second.putMany(settle(taken, clock.now() + 60_000)))[0]!.type).toBe("written");
      const [seen] = await first.getMany(["31"]);
      expect(seen!.value).toHaveLength(0);
      await first.close();
      await second.close();
    },
  );

  it.each(Object.keys(stores))("keep keys in %s that look like SQL as keys, and run none of them", async (name) => {
    const url = stores[name]!();
    for (const layout of ["dedup", "aggregate", "positions", undefined]) {
      const asked = layout === undefined ? "table=mqb_own" : `layout=${layout}&default_table=mqb_${layout}_r`;
      const store = await open(`${url}?${asked}`);
      const ends = layout === "dedup" || layout === undefined ? { expiresAt: Date.UTC(2030, 0, 1) } : {};
      const writes = CORPUS.map((key) => ({
        key,
        value: text(layout === "aggregate" ? `["${key.length}"]` : "claimed"),
      }));
      const results = await store.putMany(writes.map((write) => ({ ...write, expectedVersion: null, ...ends })));
      expect(results.map(({ type }) => type)).toEqual(CORPUS.map(() => "written"));
      expect((await store.getMany(CORPUS)).map((entry) => entry?.key)).toEqual(CORPUS);
      const version = (i: number) => (results[i] as { version: string }).version;
      const again = await store.putMany(writes.map((write, i) => ({ ...write, expectedVersion: version(i), ...ends })));
      expect(again.map(({ type }) => type)).toEqual(CORPUS.map(() => "written"));
      await store.deleteMany(CORPUS.slice(1));
      expect((await store.getMany(CORPUS)).filter((entry) => entry !== undefined)).toHaveLength(1);
      await store.close();
    }
  });
});

/** What somebody might send as a key who wants a statement to run. */
const CORPUS = [
  "O'Brien",
  "'); DROP TABLE mqb_dedup_r;--",
  "\\'; DROP TABLE mqb_dedup_r;--",
  '"; DROP TABLE mqb_dedup_r;--',
  "$$; DROP TABLE mqb_dedup_r; $$",
  "? $1 :name @x /* */ --",
  "${payload:other}",
  "é 🚀 \n\t",
];

/** Positions of a cursor, wherever they are kept, as `mqb checkpoint` sees them. */
describe("the position of a cursor", () => {
  const sqlx = plugin.endpoints!["sqlx"]!;
  const registry = createRegistry([standard, sqlite, plugin]);

  it.each(["its own database", "a table of it", "PostgreSQL", "SQLite", "a file"])(
    "kept in %s is shown, set and forgotten",
    async (place) => {
      await sql("CREATE TABLE orders (id bigint PRIMARY KEY); INSERT INTO orders VALUES (5), (7)", database.url);
      const urls: Readonly<Record<string, string | undefined>> = {
        "a table of it": "my_positions",
        PostgreSQL: `${database.url}/elsewhere`,
        SQLite: stores["SQLite"]!(),
        "a file": `file://${dir.file("positions.json")}`,
      };
      const config = {
        url: database.url,
        table: "orders",
        cursor_column: "id",
        cursor_id: "c",
        ...(urls[place] === undefined ? {} : { checkpoint_store: urls[place] }),
      };
      const bridge = createBridge({ registry, baseDir: dir.path });
      const read = async (): Promise<string[]> => {
        const consumer = await bridge.openConsumer({ sqlx: config });
        const delivery = await consumer.receive(10, AbortSignal.timeout(500));
        await delivery.commit();
        await consumer.close();
        return Array.from(delivery.batch, (message) => message.text());
      };
      const open = () =>
        sqlx.checkpoint!(config as never, {
          ...fakeContext({ clock: new FakeClock(), plugins: [standard, sqlite, plugin], baseDir: dir.path }),
          openStore: (url: string) => bridge.openStore(url),
        })!;
      const shown = async () => {
        const checkpoint = open();
        const value = (await checkpoint.read())?.value;
        await checkpoint.close?.();
        return value;
      };
      const change = async (act: "clear" | "write", value = "") => {
        const checkpoint = open();
        await (act === "clear" ? checkpoint.clear() : checkpoint.write(value));
        await checkpoint.close?.();
      };
      expect(await shown()).toBeUndefined();
      expect(await read()).toEqual(['{"id":5}', '{"id":7}']);
      expect(await shown()).toBe("int:7");
      await change("write", "int:5");
      expect(await read()).toEqual(['{"id":7}']);
      await change("clear");
      expect(await shown()).toBeUndefined();
      expect(await read()).toEqual(['{"id":5}', '{"id":7}']);
    },
  );
});
