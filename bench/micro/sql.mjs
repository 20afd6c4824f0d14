// node sql.mjs [ROWS] [ROUNDS] [ONLY]: routes from and into tables beside the bare driver and psql, in turns; the best round of each counts. ONLY is a part
// of the titles of those that run.
// Wall time and user + system CPU of this process. PostgreSQL: `scripts/services up postgres`. Build first: pnpm tsc -b plugins/sqlite plugins/postgres plugins/file plugins/dedup
import { execFileSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { createRequire } from "node:module";
import { pipeline } from "node:stream/promises";
import dedup from "../../plugins/dedup/dist/index.js";
import postgres from "../../plugins/postgres/dist/index.js";
import sqlite from "../../plugins/sqlite/dist/index.js";
import { NAMES, tableBench } from "./tables.mjs";

const URL = process.env.MQB_TEST_POSTGRES_URL ?? "postgres://mqb:test-password@127.0.0.1:25432/postgres";
const require = createRequire(new globalThis.URL("../../plugins/postgres/package.json", import.meta.url));
const pg = require("pg");
const { from: copyFrom, to: copyTo } = require("pg-copy-streams");
const { loadProvider } = await import("../../plugins/sqlite/dist/client/provider.js");
const bench = tableBench("sql", [dedup, postgres, sqlite]);
const { rows, at, input, output, route, lines, compare } = bench;
const COLUMNS = "id bigint primary key, name text, price float8, qty int, ok boolean, at timestamptz, note text";
const QUEUE =
  "id bigserial PRIMARY KEY, payload bytea NOT NULL, locked_until timestamptz, created_at timestamptz DEFAULT now()";

const client = new pg.Client({ connectionString: URL });
await client.connect();
await prepare();

const source = { sqlx: { url: URL, table: "mqb_bench_src", cursor_column: "id" } };
await compare("PostgreSQL -> JSONL", {
  "psql \\copy to CSV": async () =>
    void psql(`\\copy (select * from mqb_bench_src order by id) to '${at("out.csv")}' csv`),
  "bare: COPY of row_to_json, one statement": async () => {
    const source = client.query(copyTo("COPY (SELECT row_to_json(t) FROM mqb_bench_src t ORDER BY id) TO STDOUT"));
    await pipeline(source, createWriteStream(at("bare.jsonl")));
  },
  route: () => route(source, output),
});

const POPULATE = {
  name: "bare",
  text: "INSERT INTO mqb_bench_dst SELECT * FROM json_populate_recordset(null::mqb_bench_dst, $1)",
};
const sink = (options) => ({ sqlx: { url: URL, table: "mqb_bench_dst", ...options } });
const empty = () => client.query("TRUNCATE mqb_bench_dst");
await compare(
  "JSONL -> PostgreSQL, columns",
  {
    "bare: json_populate_recordset of 1024 lines": () =>
      lines(1024, async (some) => {
        await client.query({ ...POPULATE, values: [`[${some.join(",")}]`] });
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
    ...bench.columnRoutes(sink),
    "route, columns: auto, bulk_copy": () => route(input, sink({ columns: "auto", bulk_copy: true })),
  },
  empty,
);

await compare(
  "JSONL -> PostgreSQL, payloads",
  {
    "bare: unnest of 1024 lines": () =>
      lines(1024, async (some) => {
        const values = [some.map((line) => Buffer.from(line))];
        const text = "INSERT INTO mqb_bench_queue (payload) SELECT unnest($1::bytea[])";
        await client.query({ name: "bare payloads", text, values });
      }),
    "bare: COPY of 1024 lines": () =>
      lines(1024, async (some) => {
        const into = client.query(copyFrom("COPY mqb_bench_queue (payload) FROM STDIN"));
        await pipeline([some.map((line) => `\\\\x${Buffer.from(line).toString("hex")}\n`).join("")], into);
      }),
    route: () => route(input, { sqlx: { url: URL, table: "mqb_bench_queue" } }),
  },
  () => client.query("TRUNCATE mqb_bench_queue"),
);

const second = new pg.Client({ connectionString: URL });
await second.connect();
await compare(
  "PostgreSQL -> PostgreSQL",
  {
    "bare: COPY out of one into the other": () =>
      pipeline(
        second.query(copyTo("COPY (SELECT * FROM mqb_bench_src ORDER BY id) TO STDOUT")),
        client.query(copyFrom("COPY mqb_bench_dst FROM STDIN")),
      ),
    "bare: pages of 1024, json_populate_recordset": async () => {
      for (let last = "-1"; ; ) {
        const page = await second.query({
          name: "bare page",
          text: "SELECT json_agg(t)::text AS list, max(id) AS last FROM (SELECT * FROM mqb_bench_src WHERE id > $1 ORDER BY id LIMIT 1024) t",
          values: [last],
        });
        const [{ list, last: next }] = page.rows;
        if (list === null) return;
        last = next;
        await client.query({ ...POPULATE, values: [list] });
      }
    },
    "route, columns: auto": () => route(source, sink({ columns: "auto" })),
    "route, columns: auto, key": () => route(source, sink({ columns: "auto", key: "id" })),
    "route, columns: auto, bulk_copy": () => route(source, sink({ columns: "auto", bulk_copy: true })),
  },
  empty,
);
await second.end();

await compare("deduplication on PostgreSQL", {
  "bare: insert of 1024 keys, then update": async () => {
    await client.query(
      "DROP TABLE IF EXISTS mqb_bench_keys; CREATE TABLE mqb_bench_keys (k varchar(255) PRIMARY KEY, e bigint); CREATE INDEX ON mqb_bench_keys (e)",
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
const insertRows = async () => {
  const statement = database.prepare(`INSERT INTO dst VALUES (${NAMES.map(() => "?").join(", ")})`);
  await lines(1024, async (some) => {
    database.exec("BEGIN IMMEDIATE");
    for (const line of some) {
      const record = JSON.parse(line);
      statement.run(...NAMES.map((name) => (typeof record[name] === "boolean" ? Number(record[name]) : record[name])));
    }
    database.exec("COMMIT");
  });
};
await compare(
  "JSONL -> SQLite, columns",
  { "bare: a prepared insert, 1024 a transaction": insertRows, route: () => route(input, lite({ columns: "auto" })) },
  () => database.exec("DELETE FROM dst"),
);
database.exec("DELETE FROM dst");
await insertRows();
await compare("SQLite -> JSONL", {
  "bare: all() of 1024 rows, JSON.stringify": () => {
    const statement = database.prepare("SELECT * FROM dst WHERE id > ? ORDER BY id LIMIT 1024");
    return bench.writeJson((last) => statement.all(last?.id ?? -1));
  },
  route: () => route(lite({ cursor_column: "id" }), output),
});
database.close();
await client.query("DROP TABLE mqb_bench_src, mqb_bench_dst, mqb_bench_queue");
await client.end();
bench.end();

async function prepare() {
  await client.query(
    `DROP TABLE IF EXISTS mqb_bench_src, mqb_bench_dst, mqb_bench_queue; CREATE TABLE mqb_bench_src (${COLUMNS}); CREATE TABLE mqb_bench_dst (${COLUMNS}); CREATE TABLE mqb_bench_queue (${QUEUE})`,
  );
  await client.query(
    `INSERT INTO mqb_bench_src SELECT i, 'name of ' || i, i * 1.25, i % 1000, i % 2 = 0, '2024-01-01'::timestamptz + i * interval '1 second', repeat('note ', 1 + i::int % 8) FROM generate_series(1, ${rows}) AS s(i); ANALYZE mqb_bench_src`,
  );
  bench.fill(psql("select row_to_json(t) from mqb_bench_src t order by id"));
}

function psql(command) {
  return execFileSync("psql", ["-X", "-q", "-At", "-c", command, URL], { maxBuffer: 2 ** 30 });
}
