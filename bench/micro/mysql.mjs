// node mysql.mjs [ROWS] [ROUNDS] [ONLY]: routes from and into tables of MariaDB beside the bare driver, in turns; the best round of each counts.
// Wall time and user + system CPU of this process. `scripts/services up mariadb`. Build first: pnpm tsc -b plugins/mysql plugins/file
import { createRequire } from "node:module";
import mysql from "../../plugins/mysql/dist/index.js";
import { NAMES, tableBench } from "./tables.mjs";

const URL = process.env.MQB_TEST_MARIADB_URL ?? "mysql://mqb:test-password@127.0.0.1:23306/mqb";
const require = createRequire(new globalThis.URL("../../plugins/mysql/package.json", import.meta.url));
const driver = require("mysql2/promise");
const bench = tableBench("mysql", [mysql]);
const { rows, input, output, route, lines, compare } = bench;
const COLUMNS = "id BIGINT PRIMARY KEY, name TEXT, price DOUBLE, qty INT, ok SMALLINT, at DATETIME, note TEXT";

const client = await driver.createConnection({ uri: URL, multipleStatements: true, dateStrings: true });
await prepare();

await compare("MariaDB -> JSONL", {
  "bare: pages of 4096 rows, JSON.stringify": () =>
    bench.writeJson(async (last) => {
      const [some] = await client.query(
        `SELECT * FROM mqb_bench_src WHERE id > ${last?.id ?? -1} ORDER BY id LIMIT 4096`,
      );
      return some;
    }),
  route: () => route({ sqlx: { url: URL, table: "mqb_bench_src", cursor_column: "id" } }, output),
});

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
    ...bench.columnRoutes(sink),
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
    route: () => route(input, { sqlx: { url: URL, table: "mqb_bench_queue" } }),
  },
  () => client.query("TRUNCATE mqb_bench_queue"),
);
await client.query("DROP TABLE mqb_bench_src, mqb_bench_dst, mqb_bench_queue");
await client.end();
bench.end();

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
  bench.fill(all.map((row) => `${JSON.stringify(row)}\n`).join(""));
}
