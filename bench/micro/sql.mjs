// node sql.mjs [ROWS] [ROUNDS] [ONLY]: routes from and into tables beside the bare driver and psql, in turns; the best round of each counts. ONLY is a part of
// the titles of those that run.
// Wall time and user + system CPU of this process. PostgreSQL: `scripts/services up postgres`. Build first: pnpm tsc -b plugins/sqlite plugins/postgres plugins/file
import { execFileSync } from "node:child_process";
import { createReadStream, createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { createBridge, createRegistry } from "../../packages/core/dist/index.js";
import standard from "../../packages/standard/dist/index.js";
import dedup from "../../plugins/dedup/dist/index.js";
import file from "../../plugins/file/dist/index.js";
import postgres from "../../plugins/postgres/dist/index.js";
import sqlite from "../../plugins/sqlite/dist/index.js";

const [rows = 200_000, rounds = 3] = process.argv.slice(2, 4).map(Number);
const [, , , , only = ""] = process.argv;
const URL = process.env.MQB_TEST_POSTGRES_URL ?? "postgres://mqb:test-password@127.0.0.1:25432/postgres";
const require = createRequire(new globalThis.URL("../../plugins/postgres/package.json", import.meta.url));
const pg = require("pg");
const { from: copyFrom, to: copyTo } = require("pg-copy-streams");
const { loadProvider } = await import("../../plugins/sqlite/dist/client/provider.js");

const folder = mkdtempSync(join(tmpdir(), "mqb-bench-sql-"));
const at = (name) => join(folder, name);
const registry = createRegistry([standard, file, dedup, postgres, sqlite]);
const COLUMNS = "id bigint primary key, name text, price float8, qty int, ok boolean, at timestamptz, note text";
const NAMES = ["id", "name", "price", "qty", "ok", "at", "note"];

const client = new pg.Client({ connectionString: URL });
await client.connect();
await prepare();

await compare("PostgreSQL -> JSONL", {
  "psql \\copy to CSV": async () =>
    void psql(`\\copy (select * from mqb_bench_src order by id) to '${at("out.csv")}' csv`),
  "bare: COPY of row_to_json, one statement": async () => {
    const source = client.query(copyTo("COPY (SELECT row_to_json(t) FROM mqb_bench_src t ORDER BY id) TO STDOUT"));
    await pipeline(source, createWriteStream(at("bare.jsonl")));
  },
  route: () =>
    route(
      { sqlx: { url: URL, table: "mqb_bench_src", cursor_column: "id" } },
      { file: { path: at("out.jsonl"), format: "raw" } },
    ),
});

const input = { file: { path: at("in.jsonl"), format: "raw" } };
const sink = (options) => ({ sqlx: { url: URL, table: "mqb_bench_dst", ...options } });
const empty = () => client.query("TRUNCATE mqb_bench_dst");
await compare(
  "JSONL -> PostgreSQL, columns",
  {
    "bare: json_populate_recordset of 1024 lines": () =>
      lines(1024, async (some) => {
        await client.query({
          name: "bare",
          text: "INSERT INTO mqb_bench_dst SELECT * FROM json_populate_recordset(null::mqb_bench_dst, $1)",
          values: [`[${some.join(",")}]`],
        });
      }),
    "bare: COPY of 1024 parsed lines": () =>
      lines(1024, async (some) => {
        const text = some.map((line) => {
          const record = JSON.parse(line);
          return `${NAMES.map((name) => record[name] ?? "\\N").join("\t")}\n`;
        });
        const into = client.query(copyFrom("COPY mqb_bench_dst FROM STDIN"));
        await pipeline([Buffer.from(text.join(""))], into);
      }),
    "route, columns: auto": () => route(input, sink({ columns: "auto" })),
    "route, columns: auto, key": () => route(input, sink({ columns: "auto", key: "id" })),
    "route, columns: auto, bulk_copy": () => route(input, sink({ columns: "auto", bulk_copy: true })),
    "route, insert_query": () =>
      route(
        input,
        sink({
          insert_query: `INSERT INTO mqb_bench_dst (${NAMES.join(", ")}) VALUES (${NAMES.map((name) => `\${payload:${name}}`).join(", ")})`,
        }),
      ),
  },
  empty,
);

await compare("deduplication on PostgreSQL", {
  "bare: insert of 1024 keys, then update": async () => {
    await client.query(
      "DROP TABLE IF EXISTS mqb_bench_keys; CREATE TABLE mqb_bench_keys (k varchar(255) PRIMARY KEY, e bigint)",
    );
    for (let from = 0; from < rows; from += 1024) {
      const keys = Array.from({ length: Math.min(1024, rows - from) }, (_, i) =>
        Buffer.from(String(from + i)).toString("hex"),
      );
      await client.query({
        name: "claim",
        text: "INSERT INTO mqb_bench_keys SELECT k, -1 FROM unnest($1::text[]) AS k ON CONFLICT DO NOTHING",
        values: [keys],
      });
      await client.query({
        name: "settle",
        text: "UPDATE mqb_bench_keys SET e = 1 WHERE k = ANY($1::text[])",
        values: [keys],
      });
    }
    await client.query("DROP TABLE mqb_bench_keys");
  },
  route: async () => {
    await client.query("DROP TABLE IF EXISTS mqb_dedup_r");
    const middlewares = [{ deduplication: { store: URL, ttl_seconds: 3600, key: "${payload:id}" } }];
    await route({ ...input, middlewares }, { null: null });
    await client.query("DROP TABLE IF EXISTS mqb_dedup_r");
  },
});

const { DatabaseSync } = await loadProvider();
const database = new DatabaseSync(at("bench.db"), {});
database.exec(
  "PRAGMA journal_mode = WAL; CREATE TABLE dst (id INTEGER PRIMARY KEY, name TEXT, price REAL, qty INTEGER, ok BOOLEAN, at TEXT, note TEXT)",
);
const lite = (options) => ({ sqlx: { url: `sqlite://${at("bench.db")}`, table: "dst", ...options } });
await compare(
  "JSONL -> SQLite, columns",
  {
    "bare: a prepared insert, 1024 a transaction": async () => {
      const statement = database.prepare(`INSERT INTO dst VALUES (${NAMES.map(() => "?").join(", ")})`);
      await lines(1024, async (some) => {
        database.exec("BEGIN IMMEDIATE");
        for (const line of some) {
          const record = JSON.parse(line);
          statement.run(
            ...NAMES.map((name) => (typeof record[name] === "boolean" ? Number(record[name]) : record[name])),
          );
        }
        database.exec("COMMIT");
      });
    },
    route: () => route(input, lite({ columns: "auto" })),
  },
  () => database.exec("DELETE FROM dst"),
);
await compare("SQLite -> JSONL", {
  "bare: all() of 1024 rows, JSON.stringify": async () => {
    const statement = database.prepare("SELECT * FROM dst WHERE id > ? ORDER BY id LIMIT 1024");
    const out = createWriteStream(at("bare.jsonl"));
    for (let last = -1; ; ) {
      const some = statement.all(last);
      if (some.length === 0) break;
      last = some.at(-1).id;
      if (!out.write(`${some.map((row) => JSON.stringify(row)).join("\n")}\n`))
        await new Promise((go) => out.once("drain", go));
    }
    await new Promise((done) => out.end(done));
  },
  route: () => route(lite({ cursor_column: "id" }), { file: { path: at("out.jsonl"), format: "raw" } }),
});
database.close();
await client.query("DROP TABLE mqb_bench_src, mqb_bench_dst");
await client.end();
rmSync(folder, { recursive: true });

async function prepare() {
  await client.query(
    `DROP TABLE IF EXISTS mqb_bench_src, mqb_bench_dst; CREATE TABLE mqb_bench_src (${COLUMNS}); CREATE TABLE mqb_bench_dst (${COLUMNS})`,
  );
  await client.query(
    `INSERT INTO mqb_bench_src SELECT i, 'name of ' || i, i * 1.25, i % 1000, i % 2 = 0, '2024-01-01'::timestamptz + i * interval '1 second', repeat('note ', 1 + i::int % 8) FROM generate_series(1, ${rows}) AS s(i); ANALYZE mqb_bench_src`,
  );
  writeFileSync(at("in.jsonl"), psql("select row_to_json(t) from mqb_bench_src t order by id"));
}

function psql(command) {
  return execFileSync("psql", ["-X", "-q", "-At", "-c", command, URL], { maxBuffer: 2 ** 30 });
}

async function lines(size, write) {
  const some = [];
  for await (const line of createInterface({ input: createReadStream(at("in.jsonl")) })) {
    some.push(line);
    if (some.length === size) await write(some.splice(0));
  }
  if (some.length > 0) await write(some);
}

async function route(from, to) {
  const bridge = createBridge({ registry, baseDir: folder });
  const one = bridge.route("r", { input: from, output: to, exit_on_empty: true, concurrency: 4, batch_size: 1024 });
  await one.start();
  const { outcome, error } = await one.done;
  if (outcome !== "completed") throw error;
}

/** Contenders take turns; the first of them is the floor. */
async function compare(title, contenders, before = () => {}) {
  if (!title.includes(only)) return;
  const best = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      rmSync(at("out.jsonl"), { force: true });
      await before();
      const cpu = process.cpuUsage();
      const start = performance.now();
      await run();
      const wall = performance.now() - start;
      const { user, system } = process.cpuUsage(cpu);
      const known = best.get(name) ?? { wall: Number.POSITIVE_INFINITY, cpu: Number.POSITIVE_INFINITY };
      best.set(name, { wall: Math.min(known.wall, wall), cpu: Math.min(known.cpu, (user + system) / 1000) });
    }
  }
  const bare = [...best].filter(([name]) => !name.startsWith("route")).map(([, { wall }]) => wall);
  const floor = Math.min(...bare);
  console.log(`${title}, ${rows} rows`);
  for (const [name, { wall, cpu }] of best) {
    const rate = Math.round(rows / (wall / 1000)).toLocaleString("en");
    console.log(
      `  ${name}: ${wall.toFixed(0)} ms, ${rate} a second (x ${(floor / wall).toFixed(2)} of the best floor), ${cpu.toFixed(0)} ms of CPU here`,
    );
  }
}
