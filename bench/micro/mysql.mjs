// node mysql.mjs [ROWS] [ROUNDS]: routes from and into tables of MariaDB beside the bare driver, in turns; the best round of each counts.
// Wall time and user + system CPU of this process. `scripts/services up mariadb`. Build first: pnpm tsc -b plugins/mysql plugins/file
import { createReadStream, createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createBridge, createRegistry } from "../../packages/core/dist/index.js";
import standard from "../../packages/standard/dist/index.js";
import file from "../../plugins/file/dist/index.js";
import mysql from "../../plugins/mysql/dist/index.js";

const [rows = 200_000, rounds = 3] = process.argv.slice(2).map(Number);
const URL = process.env.MQB_TEST_MARIADB_URL ?? "mysql://mqb:test-password@127.0.0.1:23306/mqb";
const require = createRequire(new globalThis.URL("../../plugins/mysql/package.json", import.meta.url));
const driver = require("mysql2/promise");

const folder = mkdtempSync(join(tmpdir(), "mqb-bench-mysql-"));
const at = (name) => join(folder, name);
const registry = createRegistry([standard, file, mysql]);
const COLUMNS = "id BIGINT PRIMARY KEY, name TEXT, price DOUBLE, qty INT, ok SMALLINT, at DATETIME, note TEXT";
const NAMES = ["id", "name", "price", "qty", "ok", "at", "note"];

const client = await driver.createConnection({ uri: URL, multipleStatements: true, dateStrings: true });
await prepare();

await compare("MariaDB -> JSONL", {
  "bare: pages of 4096 rows, JSON.stringify": async () => {
    const out = createWriteStream(at("bare.jsonl"));
    for (let last = -1; ; ) {
      const [some] = await client.query(`SELECT * FROM mqb_bench_src WHERE id > ${last} ORDER BY id LIMIT 4096`);
      if (some.length === 0) break;
      last = some.at(-1).id;
      if (!out.write(`${some.map((row) => JSON.stringify(row)).join("\n")}\n`))
        await new Promise((go) => out.once("drain", go));
    }
    await new Promise((done) => out.end(done));
  },
  route: () =>
    route(
      { sqlx: { url: URL, table: "mqb_bench_src", cursor_column: "id" } },
      { file: { path: at("out.jsonl"), format: "raw" } },
    ),
});

const input = (name) => ({ file: { path: at(name), format: "raw" } });
const sink = (options) => ({ sqlx: { url: URL, table: "mqb_bench_dst", ...options } });
const empty = () => client.query("TRUNCATE mqb_bench_dst");
await compare(
  "JSONL -> MariaDB, columns",
  {
    "bare: VALUES ? of 1024 parsed lines": () =>
      lines(1024, async (some) => {
        const values = some.map((line) => {
          const record = JSON.parse(line);
          return NAMES.map((name) => record[name]);
        });
        await client.query("INSERT INTO mqb_bench_dst VALUES ?", [values]);
      }),
    "bare: a prepared INSERT of 1000 parsed lines": () =>
      lines(1000, async (some) => {
        const values = some.flatMap((line) => {
          const record = JSON.parse(line);
          return NAMES.map((name) => record[name]);
        });
        const groups = some.map(() => "(?,?,?,?,?,?,?)").join(",");
        await client.execute(`INSERT INTO mqb_bench_dst VALUES ${groups}`, values);
      }),
    "route, columns: auto": () => route(input("in.jsonl"), sink({ columns: "auto" })),
    "route, columns: auto, key": () => route(input("in.jsonl"), sink({ columns: "auto", key: "id" })),
    "route, insert_query": () =>
      route(
        input("in.jsonl"),
        sink({
          insert_query: `INSERT INTO mqb_bench_dst (${NAMES.join(", ")}) VALUES (${NAMES.map((name) => `\${payload:${name}}`).join(", ")})`,
        }),
      ),
  },
  empty,
);
await compare(
  "JSONL -> MariaDB, payloads",
  {
    "bare: VALUES ? of 1024 lines": () =>
      lines(1024, async (some) => {
        await client.query("INSERT INTO mqb_bench_queue (payload) VALUES ?", [some.map((line) => [Buffer.from(line)])]);
      }),
    "bare: a prepared INSERT of 1000 lines": () =>
      lines(1000, async (some) => {
        const groups = some.map(() => "(?)").join(",");
        await client.execute(
          `INSERT INTO mqb_bench_queue (payload) VALUES ${groups}`,
          some.map((line) => Buffer.from(line)),
        );
      }),
    route: () => route(input("in.jsonl"), { sqlx: { url: URL, table: "mqb_bench_queue" } }),
  },
  () => client.query("TRUNCATE mqb_bench_queue"),
);
await client.query("DROP TABLE mqb_bench_src, mqb_bench_dst, mqb_bench_queue");
await client.end();
rmSync(folder, { recursive: true });

async function prepare() {
  const queue =
    "id BIGINT AUTO_INCREMENT PRIMARY KEY, payload LONGBLOB NOT NULL, locked_until DATETIME(6), created_at DATETIME(6) DEFAULT CURRENT_TIMESTAMP(6), KEY (locked_until)";
  await client.query(
    `DROP TABLE IF EXISTS mqb_bench_src, mqb_bench_dst, mqb_bench_queue; CREATE TABLE mqb_bench_src (${COLUMNS}); CREATE TABLE mqb_bench_dst (${COLUMNS}); CREATE TABLE mqb_bench_queue (${queue})`,
  );
  await client.query(
    `SET max_recursive_iterations = ${rows + 1}; INSERT INTO mqb_bench_src WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT i, CONCAT('name of ', i), i * 1.25, i % 1000, i % 2, '2024-01-01' + INTERVAL i SECOND, REPEAT('note ', 1 + i % 8) FROM n`,
  );
  const [all] = await client.query("SELECT * FROM mqb_bench_src ORDER BY id");
  writeFileSync(at("in.jsonl"), all.map((row) => `${JSON.stringify(row)}\n`).join(""));
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

/** Contenders take turns; the fastest of the bare ones is the floor. */
async function compare(title, contenders, before = () => {}) {
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
    console.log(
      `  ${name}: ${wall.toFixed(0)} ms (x ${(floor / wall).toFixed(2)} of the best floor), ${cpu.toFixed(0)} ms of CPU here`,
    );
  }
}
