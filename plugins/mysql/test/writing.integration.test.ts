import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, kindOf, Message } from "@mqb/core/plugin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { read, send } from "./ends.ts";
import { freshDatabase, sql } from "./server.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const output = (table: string, options: Readonly<Record<string, unknown>>) => ({
  url: database.url,
  table,
  ...options,
});
const columns = (table: string) => output(table, { columns: "auto" });
const rows = (query: string) => sql(query, database.url);

describe("rows written by columns", () => {
  it("of integers beyond the column, or between two of them, fail alone, and are never clamped or rounded", async () => {
    await rows("CREATE TABLE big (id BIGINT); CREATE TABLE ubig (id BIGINT UNSIGNED)");
    const payloads = [
      "9223372036854775807",
      "9223372036854775808",
      "18446744073709551615",
      "18446744073709551616",
      "1.5",
      '"2.5"',
      "1.0",
      "1E2",
      "-1",
    ].map((id) => `{"id":${id}}`);
    const failed = await send(columns("big"), payloads);
    expect([...failed.keys()]).toEqual([1, 2, 3, 4, 5]);
    expect(failed.get(1)).toMatch(/MQB_SQL_REFUSED.*out of range/i);
    expect((await rows("SELECT id FROM big ORDER BY 1")).flat()).toEqual(["-1", "1", "100", "9223372036854775807"]);
    expect([...(await send(columns("ubig"), payloads)).keys()].sort()).toEqual([3, 4, 5, 8]);
    expect((await rows("SELECT id FROM ubig ORDER BY 1")).flat()).toEqual([
      "1",
      "100",
      "9223372036854775807",
      "9223372036854775808",
      "18446744073709551615",
    ]);
  });

  it("of texts that the server takes for numbers are whole numbers, or fail: none is rounded", async () => {
    await rows("CREATE TABLE spelled (n BIGINT)");
    const fractions = ["+1.5", "05.5", ".5", " 2.5", "1.5 ", "-.5", "+5e-1", "0x10", "1,5", "one", ".", ""];
    const whole = ["+1.0", "007", "5.", " 8 ", "+9e0", "-0.10e1", "+9223372036854775807"];
    const failed = await send(
      columns("spelled"),
      [...fractions, ...whole].map((n) => JSON.stringify({ n })),
    );
    expect([...failed.keys()].sort((a, b) => a - b)).toEqual(fractions.map((_, i) => i));
    expect((await rows("SELECT n FROM spelled ORDER BY n")).flat()).toEqual([
      "-1",
      "1",
      "5",
      "7",
      "8",
      "9",
      "9223372036854775807",
    ]);
  });

  it("that are refused are not told with their values", async () => {
    await rows("CREATE TABLE told (mail VARCHAR(40) UNIQUE, n INT)");
    const failed = await send(columns("told"), [
      '{"mail":"alice@example.com"}',
      '{"mail":"alice@example.com"}',
      '{"n":"geheim"}',
    ]);
    expect([...failed.keys()].sort()).toEqual([1, 2]);
    expect(failed.get(1)).toMatch(/^MQB_SQL_REFUSED.*Duplicate entry '…' for key/);
    expect(failed.get(2)).toMatch(/^MQB_SQL_REFUSED.*Incorrect integer value: '…' for column.*n/);
  });

  it("into a view that takes none fail for good", async () => {
    await rows("CREATE TABLE under_view (id INT); CREATE VIEW counted_view AS SELECT COUNT(*) AS n FROM under_view");
    const failed = await send(
      output("counted_view", { insert_query: "INSERT INTO counted_view VALUES (${payload:n})" }),
      ['{"n":1}'],
    ).catch((error: unknown) => error);
    expect(failed).toSatisfy((found: unknown) =>
      found instanceof Map ? /^MQB_SQL_REFUSED/.test(String(found.get(0))) : kindOf(found, "end") !== "retryable",
    );
  });

  it("that a server without a strict mode would cut or clamp are refused", async () => {
    await rows("CREATE TABLE strict_t (id INT, t TINYINT, v VARCHAR(2), e ENUM('a'), d DATE)");
    const failed = await send(columns("strict_t"), [
      '{"t":128}',
      '{"v":"abc"}',
      '{"e":"b"}',
      '{"d":"2024-02-30"}',
      '{"t":1}',
    ]);
    expect([...failed.keys()].sort()).toEqual([0, 1, 2, 3]);
    expect(await rows("SELECT t FROM strict_t")).toEqual([["1"]]);
  });

  it("have the columns of all records of the batch, whatever the first one has", async () => {
    await rows("CREATE TABLE united (id INT, a TEXT, b VARCHAR(9) DEFAULT 'd', g INT AS (id * 2) STORED)");
    await send(columns("united"), [
      '{"id":1,"a":"x"}',
      '{"id":2,"b":"y","g":9}',
      '{"id":3,"a":"z","b":"w"}',
      '{"id":4,"b":null}',
    ]);
    expect(await rows("SELECT * FROM united ORDER BY id")).toEqual([
      ["1", "x", "d", "2"],
      ["2", null, "y", "4"],
      ["3", "z", "w", "6"],
      ["4", null, null, "8"],
    ]);
  });

  it("may be wide and many, and longer than one statement", async () => {
    const names = Array.from({ length: 120 }, (_, i) => `c${i}`);
    await rows(`CREATE TABLE wide (${names.map((one) => `${one} TEXT`).join(", ")})`);
    const record = JSON.stringify(Object.fromEntries(names.map((one) => [one, `value of ${one} ✓`])));
    expect(await send(columns("wide"), new Array<string>(1000).fill(record))).toEqual(new Map());
    expect(await rows("SELECT COUNT(*), COUNT(c119) FROM wide")).toEqual([["1000", "1000"]]);
  });

  it("longer than max_allowed_packet fail alone", async () => {
    await rows("CREATE TABLE packet (id INT, v LONGTEXT)");
    const [[most]] = (await rows("SELECT @@max_allowed_packet")) as [[string]];
    const payloads = [10, Number(most), 20].map((length, id) => JSON.stringify({ id, v: "x".repeat(length) }));
    const failed = await send(columns("packet"), payloads);
    expect([...failed.keys()]).toEqual([1]);
    expect(failed.get(1)).toContain("max_allowed_packet");
    expect(await rows("SELECT id FROM packet ORDER BY id")).toEqual([["0"], ["2"]]);
  });

  it("with 0 for the column that counts by itself keep it", async () => {
    await rows("CREATE TABLE counted (id INT AUTO_INCREMENT PRIMARY KEY, v TEXT)");
    await send(columns("counted"), ['{"id":0,"v":"zero"}', '{"v":"one"}']);
    expect(await rows("SELECT * FROM counted ORDER BY id")).toEqual([
      ["0", "zero"],
      ["1", "one"],
    ]);
  });

  it("with fields without a column keep them in the extra one, under what the record has there", async () => {
    await rows("CREATE TABLE extra (id INT, more JSON)");
    await send({ ...columns("extra"), extra_column: "more" }, [
      '{"id":1,"x":1.50,"y":[1]}',
      '{"id":2,"more":{"x":0},"x":1,"z":2}',
      '{"q":true}',
    ]);
    expect(await rows("SELECT id, more FROM extra ORDER BY id")).toEqual([
      [null, '{"q":true}'],
      ["1", '{"x":1.50,"y":[1]}'],
      ["2", '{"x":0,"z":2}'],
    ]);
  });

  it("keep JSON of every kind, where MariaDB calls its column a text", async () => {
    await rows("CREATE TABLE jsons (id INT, j JSON)");
    await send(columns("jsons"), [
      '{"id":1,"j":true}',
      '{"id":2,"j":1.50}',
      '{"id":3,"j":"{\\"a\\":1}"}',
      '{"id":4,"j":[12345678901234567890]}',
      '{"id":5,"j":"no json"}',
    ]);
    expect(await rows("SELECT j FROM jsons ORDER BY id")).toEqual([
      ["true"],
      ["1.50"],
      ['{"a":1}'],
      ["[12345678901234567890]"],
    ]);
  });

  it("into quoted names, reserved words and another schema", async () => {
    await rows('CREATE TABLE `order` (`select` INT, `wi``th "q"` TEXT, `Größe` TEXT)');
    const schema = new URL(database.url).pathname.slice(1);
    const record = JSON.stringify({ select: 1, 'wi`th "q"': "a", größe: "b" });
    expect(await send({ ...columns(`${schema}.order`), url: database.url.replace(/\/[^/]*$/, "") }, [record])).toEqual(
      new Map(),
    );
    expect(await read({ url: database.url, table: "order", cursor_column: "select" })).toEqual([
      '{"select":1,"wi`th \\"q\\"":"a","Größe":"b"}',
    ]);
  });

  it("are all there or none when a trigger fails in the middle of a batch that needs several statements", async () => {
    await rows("CREATE TABLE parts (id INT, v LONGTEXT) ENGINE=InnoDB; CREATE TABLE calls (n INT) ENGINE=MyISAM");
    await rows(
      "CREATE TRIGGER once BEFORE INSERT ON parts FOR EACH ROW BEGIN IF NEW.id = 25 THEN INSERT INTO calls VALUES (1); IF (SELECT COUNT(*) FROM calls) = 1 THEN SIGNAL SQLSTATE '40001' SET MESSAGE_TEXT = 'try again'; END IF; END IF; END",
    );
    const payloads = Array.from({ length: 30 }, (_, id) => JSON.stringify({ id, v: "x".repeat(200_000) }));
    const failed = await send(columns("parts"), payloads);
    expect(new Set(failed.values())).toEqual(new Set([expect.stringMatching(/^MQB_SQL_BUSY.*try again/)]));
    expect(failed.size).toBe(30);
    expect(await rows("SELECT COUNT(*) FROM parts")).toEqual([["0"]]);
    expect(await send(columns("parts"), payloads)).toEqual(new Map());
    expect(await rows("SELECT COUNT(*) FROM parts")).toEqual([["30"]]);
  });
});

describe("an upsert", () => {
  it.each([
    ["no index", "code VARCHAR(9)"],
    ["an index that is not unique", "code VARCHAR(9), KEY (code)"],
    ["a unique index over the beginning only", "code VARCHAR(9), UNIQUE (code(3))"],
    ["a unique index over more", "code VARCHAR(9), b INT, UNIQUE (code, b)"],
  ])("is refused at the start where its key has %s", async (name, definition) => {
    const table = `keyed_${name.replaceAll(" ", "_")}`;
    await rows(`CREATE TABLE ${table} (id INT PRIMARY KEY, ${definition})`);
    const opening = createBridge({ registry: createRegistry([plugin]) }).openPublisher({
      sqlx: { ...columns(table), key: "code" },
    });
    await expect(opening).rejects.toMatchObject({
      code: "MQB_SQL_NO_UNIQUE_KEY",
      message: expect.stringContaining("code"),
    });
  });

  it("writes keys that come again in their order, and keeps the columns that a record lacks", async () => {
    await rows("CREATE TABLE keyed (code VARCHAR(9) UNIQUE, a INT, b INT)");
    const payloads = [
      '{"code":"x","a":1,"b":1}',
      '{"code":"y","a":2}',
      '{"code":"x","a":3}',
      '{"code":"x","b":null}',
      '{"a":1}',
      '{"code":null}',
    ];
    const failed = await send({ ...columns("keyed"), key: "code" }, payloads);
    expect([...failed.keys()]).toEqual([4, 5]);
    expect(await rows("SELECT * FROM keyed ORDER BY code")).toEqual([
      ["x", "3", null],
      ["y", "2", null],
    ]);
  });

  it("writes over no row of another key that is unique too", async () => {
    await rows(
      "CREATE TABLE twice (id INT PRIMARY KEY, code VARCHAR(9) UNIQUE, v INT); INSERT INTO twice VALUES (1, 'a', 1), (2, 'b', 2)",
    );
    const payloads = ['{"id":1,"code":"a","v":10}', '{"id":3,"code":"b","v":30}', '{"id":4,"code":"d","v":40}'];
    const failed = await send({ ...columns("twice"), key: "id" }, payloads);
    expect([...failed.keys()]).toEqual([1]);
    expect(failed.get(1)).toMatch(/MQB_SQL_REFUSED.*another row/);
    expect(await rows("SELECT * FROM twice ORDER BY id")).toEqual([
      ["1", "a", "10"],
      ["2", "b", "2"],
      ["4", "d", "40"],
    ]);
  });
});

describe("a lookup", () => {
  async function answers(query: string, payloads: readonly string[]): Promise<string[]> {
    const publisher = await createBridge({ registry: createRegistry([plugin]) }).openPublisher({
      sqlx: output("unused", { lookup_query: query }),
    });
    const batch = batchOf(payloads.map((payload) => new Message(payload)));
    const outcomes = (await publisher.send(batch, new AbortController().signal)) ?? [];
    await publisher.close();
    return outcomes.map((outcome) => (outcome.type === "replied" ? outcome.message.text() : outcome.type));
  }

  it.each([
    ["", "3"],
    [" # the newest", "3"],
    [" LIMIT 5", "3"],
    [" LIMIT 1 OFFSET 1", "2"],
    [" FOR UPDATE", "3"],
    [" LIMIT 5 FOR UPDATE", "3"],
  ])("with an order gives the first row of that order: ORDER BY …%s", async (end, first) => {
    await rows(
      "CREATE OR REPLACE TABLE ordered (id INT PRIMARY KEY, k INT, v INT); INSERT INTO ordered VALUES (1, 1, 1), (2, 1, 3), (3, 1, 2), (4, 2, 9), (5, 2, 8), (6, 2, 7)",
    );
    const query = `SELECT v FROM ordered WHERE k = \${payload:k} ORDER BY v DESC${end}`;
    const other = String(Number(first) + 6);
    expect(await answers(query, ['{"k":1}', '{"k":3}', '{"k":2}'])).toEqual([
      `{"v":${first}}`,
      expect.any(String),
      `{"v":${other}}`,
    ]);
  });

  it.each([
    "SELECT stock * ${payload:qty} AS n FROM goods WHERE id = ${payload:id}",
    "SELECT n FROM (SELECT stock * ${payload:qty} AS n FROM goods WHERE id = ${payload:id}) AS inside",
    "SELECT stock * ${payload:qty} AS n FROM goods WHERE id = ${payload:id} UNION SELECT id FROM goods WHERE id < 0",
    "SELECT (SELECT MAX(stock) FROM goods) * ${payload:qty} AS n FROM goods WHERE id = ${payload:id}",
    "SELECT 5 * ${payload:qty} AS n",
  ])("answers a message the same alone and beside others: %s", async (query) => {
    await rows("CREATE OR REPLACE TABLE goods (id INT PRIMARY KEY, stock INT); INSERT INTO goods VALUES (1, 5)");
    const asked = ['{"id":1,"qty":2}', '{"id":1,"qty":1.5}', '{"id":1,"qty":"x"}'];
    const alone: string[] = [];
    for (const one of asked) alone.push(...(await answers(query, [one])));
    expect(await answers(query, asked)).toEqual(alone);
    expect(alone[0]).toBe('{"n":10}');
  });

  it("gives each message its own row, and every digit of it", async () => {
    await rows(
      "CREATE TABLE found (id BIGINT UNSIGNED PRIMARY KEY, d DECIMAL(30,10), f FLOAT, b BLOB, bits BIT(9), at DATETIME(6)); INSERT INTO found VALUES (18446744073709551615, 12345678901234567890.5, 16777217, x'00ff', b'100000001', '2024-01-02 03:04:05.000006'), (1, NULL, NULL, NULL, NULL, NULL)",
    );
    const publisher = await createBridge({ registry: createRegistry([plugin]) }).openPublisher({
      sqlx: output("found", { lookup_query: "SELECT * FROM found WHERE id IN (${payload:id})" }),
    });
    const found: string[] = [];
    const asked = ["18446744073709551615", "2", "1"].map((id) => new Message(`{"id":${id}}`));
    for (const outcome of (await publisher.send(batchOf(asked), new AbortController().signal)) ?? []) {
      found.push(outcome.type === "replied" ? outcome.message.text() : outcome.type);
    }
    await publisher.close();
    expect(found).toEqual([
      '{"id":18446744073709551615,"d":"12345678901234567890.5000000000","f":16777216.0,"b":"00ff","bits":"\\u0001\\u0001","at":"2024-01-02 03:04:05.000006"}',
      "",
      '{"id":1,"d":null,"f":null,"b":null,"bits":null,"at":null}',
    ]);
  });
});

it.each(["t`; DROP TABLE victim;--", "t; DROP TABLE victim", "a.b.c", ""])("is no name of a table: %s", (table) => {
  const checked = createBridge({ registry: createRegistry([plugin]) }).check("r", {
    input: { sqlx: { url: database.url, table } },
    output: { sqlx: { url: database.url, table } },
  });
  expect(checked.problems.some(({ level }) => level === "error")).toBe(true);
});
