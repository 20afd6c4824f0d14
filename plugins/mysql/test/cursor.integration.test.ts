import { createBridge, createRegistry } from "@mqb/core";
import { createConnection } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { read, send } from "./ends.ts";
import { freshDatabase, sql } from "./server.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const rows = (query: string) => sql(query, database.url);
const input = (table: string, cursor_column: string, more = {}) => ({
  url: database.url,
  table,
  cursor_column,
  ...more,
});
const ids = (texts: readonly string[]) => texts.map((text) => (JSON.parse(text) as { id: number }).id);

describe("rows in the order of a column", () => {
  it("leave those without a value out, and keep rows of one value together", async () => {
    await rows(
      "CREATE TABLE ties (id INT, k VARCHAR(9)); INSERT INTO ties VALUES (1,'a'),(2,'b'),(3,'b'),(4,'b'),(5,NULL),(6,'c')",
    );
    expect(ids(await read(input("ties", "k"), 3))).toEqual([1, 2, 3, 4, 6]);
  });

  it("come all, and once, where the collation takes values for the same that are not", async () => {
    await rows(
      "CREATE TABLE folded (id INT, k VARCHAR(9) COLLATE utf8mb4_general_ci); INSERT INTO folded VALUES (1,'a'),(2,'A'),(3,'á'),(4,'a '),(5,'b'),(6,'B'),(7,'')",
    );
    const found = ids(await read(input("folded", "k", { cursor_id: "c" }), 1));
    expect([...found].sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await read(input("folded", "k", { cursor_id: "c" }), 1)).toEqual([]);
  });

  it("use the index of a column whose values are each there once", async () => {
    await rows(
      "CREATE TABLE once (k VARCHAR(9) COLLATE utf8mb4_general_ci PRIMARY KEY); INSERT INTO once VALUES ('b'),('A'),('c'),('D')",
    );
    const found = (await read(input("once", "k"), 1)).map((text) => (JSON.parse(text) as { k: string }).k);
    expect(found).toEqual(["A", "b", "c", "D"]);
  });

  it.each([
    ["DECIMAL(30,10)", ["-12345678901234567890.1", "9007199254740993.1", "9007199254740993.2"]],
    ["DATETIME(6)", ["0000-00-00 00:00:00", "2024-01-02 03:04:05.000001", "2024-01-02 03:04:05.000002"]],
    ["TIMESTAMP(3) NULL", ["2024-01-02 03:04:05.001", "2024-06-02 03:04:05.002"]],
    ["TIME", ["-12:30:00", "01:00:00", "100:00:00"]],
    ["YEAR", ["1999", "2024"]],
    ["TINYINT", ["-5", "3", "20"]],
    ["UUID", ["00000000-0000-1000-8000-000000000001", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]],
    ["BIGINT UNSIGNED", ["5", "9223372036854775808", "18446744073709551615"]],
    ["ENUM('z','a')", ["z", "a"]],
    ["VARCHAR(9) CHARACTER SET latin1", ["a", "é"]],
  ])("of the type %s, also one at a time over several starts", async (type, values) => {
    const table = `t_${type.replaceAll(/\W/g, "")}`;
    await rows(
      `SET sql_mode = ''; CREATE TABLE ${table} (id INT, k ${type}); INSERT INTO ${table} VALUES ${values.map((value, i) => `(${i}, '${value}')`).join(", ")}`,
    );
    const found = ids(await read(input(table, "k", { cursor_id: "c" }), 1));
    expect([...found].sort()).toEqual(values.map((_, i) => i));
    await rows(`INSERT INTO ${table} VALUES (99, NULL)`);
    expect(await read(input(table, "k", { cursor_id: "c" }), 1)).toEqual([]);
  });

  it("of a type that is no cursor are refused at the start", async () => {
    await rows("CREATE TABLE nocursor (b BLOB, j JSON, f FLOAT, bits BIT(4))");
    for (const column of ["b", "j", "f", "bits"])
      await expect(read(input("nocursor", column))).rejects.toMatchObject({ code: "MQB_SQL_CURSOR_TYPE" });
  });

  it("go on behind the last that was acked, also when more come, and beyond 63 bits", async () => {
    await rows(
      "CREATE TABLE more (id BIGINT UNSIGNED PRIMARY KEY); INSERT INTO more WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT i FROM n",
    );
    const one = input("more", "id", { cursor_id: "c" });
    expect(await read(one, 100)).toHaveLength(900);
    await rows("INSERT INTO more VALUES (18446744073709551615)");
    expect(await read(one)).toEqual(['{"id":18446744073709551615}']);
    expect(await read(one)).toEqual([]);
  });

  it("of a view are read like those of a table", async () => {
    await rows(
      "CREATE TABLE base (id INT PRIMARY KEY, v INT); INSERT INTO base VALUES (1, 2); CREATE VIEW seen AS SELECT id, v * 2 AS w FROM base",
    );
    expect(await read(input("seen", "id"))).toEqual(['{"id":1,"w":4}']);
  });

  it("keep a position for each key, also for keys that differ only by case", async () => {
    await rows("CREATE TABLE cased (id INT PRIMARY KEY); INSERT INTO cased VALUES (1), (2)");
    expect(await read(input("cased", "id", { cursor_id: "a" }))).toHaveLength(2);
    // The table has the layout of the original, whose keys MySQL compares without regard to case: nothing is passed over.
    expect(await read(input("cased", "id", { cursor_id: "A" }))).toHaveLength(2);
    expect(await read(input("cased", "id", { cursor_id: "a" }))).toEqual([]);
  });
});

it("a row that is committed late with a smaller value is not passed over with cursor_safety: lag", async () => {
  await rows("CREATE TABLE late (id INT PRIMARY KEY)");
  const writer = await createConnection(database.url);
  await writer.query("START TRANSACTION");
  await writer.query("INSERT INTO late VALUES (1)");
  await rows("INSERT INTO late VALUES (2)");
  const safe = input("late", "id", { cursor_safety: "lag", cursor_lag_ms: 2000, polling_interval_ms: 20 });
  const consumer = await createBridge({ registry: createRegistry([plugin]) }).openConsumer({ sqlx: safe });
  try {
    // A plain cursor would give the second row now, and never the first.
    expect((await consumer.receive(10, AbortSignal.timeout(300))).batch).toHaveLength(0);
    await writer.query("COMMIT");
    const { batch } = await consumer.receive(10, AbortSignal.timeout(30_000));
    expect(ids(Array.from(batch, (message) => message.text()))).toEqual([1, 2]);
  } finally {
    await consumer.close();
    await writer.end();
  }
});

it("zero dates travel from table to table", async () => {
  await rows(
    "SET sql_mode = ''; CREATE TABLE zero (id INT PRIMARY KEY, d DATE, t DATETIME); INSERT INTO zero VALUES (1, '0000-00-00', '0000-00-00 00:00:00'), (2, '2024-00-15', '2024-01-02 03:04:05'); CREATE TABLE zero2 LIKE zero",
  );
  const texts = await read(input("zero", "id"));
  expect(texts).toEqual([
    '{"id":1,"d":"0000-00-00","t":"0000-00-00 00:00:00"}',
    '{"id":2,"d":"2024-00-15","t":"2024-01-02 03:04:05"}',
  ]);
  expect(await send({ url: database.url, table: "zero2", columns: "auto" }, texts)).toEqual(new Map());
  expect(await rows("SELECT * FROM zero2 EXCEPT SELECT * FROM zero")).toEqual([]);
  expect(await rows("SELECT COUNT(*) FROM zero2")).toEqual([["2"]]);
});
