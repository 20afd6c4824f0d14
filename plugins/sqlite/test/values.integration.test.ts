import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, Message } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { read, send, sql } from "./ends.ts";

let dir: TempDir;
let path: string;
let url: string;
beforeAll(async () => {
  dir = await TempDir.make();
  path = dir.file("values.db");
  url = `sqlite://${path}`;
});
afterAll(() => dir.remove());

const columns = (table: string) => ({ url, table, columns: "auto" });

it("a text with a NUL character is kept whole, there and back", async () => {
  await sql(path, "CREATE TABLE nul (id INTEGER, v TEXT)");
  const record = '{"id":1,"v":"a\\u0000b"}';
  await send(columns("nul"), [record]);
  expect(await sql(path, "SELECT hex(v), typeof(v) FROM nul")).toEqual([["610062", "text"]]);
  expect(await read({ url, table: "nul", cursor_column: "id" })).toEqual([record]);
});

it("a text with a NUL character is whole in an answer as well", async () => {
  await sql(
    path,
    "CREATE TABLE looked (id INTEGER, v TEXT, n REAL)",
    "INSERT INTO looked VALUES (1, char(97, 0, 98), 2.0)",
  );
  const lookup_query = "SELECT v, n, v || '!' AS more FROM looked WHERE id = ${payload:id} ORDER BY id;";
  const publisher = await createBridge({ registry: createRegistry([standard, plugin]) }).openPublisher({
    sqlx: { url, table: "looked", lookup_query },
  });
  const [outcome] = (await publisher.send(batchOf([new Message('{"id":1}')]), new AbortController().signal))!;
  await publisher.close();
  expect(outcome!.type === "replied" && outcome!.message.text()).toBe('{"v":"a\\u0000b","n":2.0,"more":"a\\u0000b!"}');
});

it("an answer has its columns also where a value of the question is cast", async () => {
  await sql(path, "CREATE TABLE priced (id INTEGER, price REAL)", "INSERT INTO priced VALUES (1, 1.5)");
  const lookup_query = "WITH p AS (SELECT * FROM priced) SELECT price * ${payload:qty}, id FROM p -- all";
  const publisher = await createBridge({ registry: createRegistry([standard, plugin]) }).openPublisher({
    sqlx: { url, table: "priced", lookup_query },
  });
  const outcomes = await publisher.send(
    batchOf(['{"qty":2.0}', '{"qty":3}'].map((text) => new Message(text))),
    new AbortController().signal,
  );
  await publisher.close();
  const texts = outcomes!.map((outcome) => outcome.type === "replied" && outcome.message.text());
  expect(texts).toEqual(['{"price * ?":3.0,"id":1}', '{"price * ?":4.5,"id":1}']);
});

describe("rows written by columns", () => {
  it("of numbers in texts may have zeros in front", async () => {
    await sql(path, "CREATE TABLE zeros (n DECIMAL(20, 2))");
    const failed = await send(columns("zeros"), ['{"n":"0000000000001234.50"}', '{"n":"00123456789012345.6"}']);
    expect([...failed.values()]).toEqual([]);
    expect(await sql(path, "SELECT n FROM zeros")).toEqual([[1234.5], [123456789012345.6]]);
  });

  it("of integers beyond the column fail alone, and are never rounded", async () => {
    await sql(path, "CREATE TABLE big (id INTEGER, n NUMERIC, t TEXT)");
    const payloads = ["9223372036854775807", "9223372036854775808", "18446744073709551615"].map((id) => `{"id":${id}}`);
    const failed = await send(columns("big"), payloads);
    expect([...failed.keys()]).toEqual([1, 2]);
    expect(failed.get(1)).toBe("MQB_SQL_OUT_OF_RANGE: a value is out of range for column id");
    expect(await sql(path, "SELECT id FROM big")).toEqual([[9223372036854775807n]]);
  });

  it("that SQLite would round are refused, and kept where a column has no type or holds texts", async () => {
    await sql(path, "CREATE TABLE exact (n NUMERIC, d DECIMAL(10, 2), i INTEGER, t TEXT, a)");
    const long = ["18446744073709551615", "123456789012345678.01", "0.1234567890123456789"];
    for (const column of ["n", "d", "i"]) {
      const failed = await send(
        columns("exact"),
        [...long, ...long.map((one) => `"${one}"`)].map((v) => `{"${column}":${v}}`),
      );
      expect([...failed.keys()], column).toEqual([0, 1, 2, 3, 4, 5]);
    }
    expect(
      await send(
        columns("exact"),
        long.map((v) => `{"t":${v},"a":${v}}`),
      ),
    ).toEqual(new Map());
    expect(await sql(path, "SELECT t, a FROM exact")).toEqual(long.map((v) => [v, v]));
    expect(await send(columns("exact"), ['{"n":0.30000000000000004,"i":1.5,"d":"12.50"}'])).toEqual(new Map());
  });

  it("have the columns of all records of the batch, whatever the first one has", async () => {
    await sql(path, "CREATE TABLE united (id INTEGER, a TEXT, b TEXT DEFAULT 'd')");
    await send(columns("united"), [
      '{"id":1,"a":"x"}',
      '{"id":2,"b":"y"}',
      '{"id":3,"a":"z","b":"w"}',
      '{"id":4,"b":null}',
    ]);
    expect(await sql(path, "SELECT * FROM united ORDER BY id")).toEqual([
      [1n, "x", "d"],
      [2n, null, "y"],
      [3n, "z", "w"],
      [4n, null, null],
    ]);
  });

  it("may be wide and many: no limit of parameters is met", async () => {
    const names = Array.from({ length: 120 }, (_, i) => `c${i}`);
    await sql(path, `CREATE TABLE wide (${names.map((one) => `${one} TEXT`).join(", ")})`);
    const record = JSON.stringify(Object.fromEntries(names.map((one) => [one, one])));
    expect(await send(columns("wide"), new Array<string>(1000).fill(record))).toEqual(new Map());
    expect(await sql(path, "SELECT count(*), count(c119) FROM wide")).toEqual([[1000n, 1000n]]);
  });

  it("with fields without a column keep them in the extra one, under what the record has there", async () => {
    await sql(path, "CREATE TABLE extra (id INTEGER, more TEXT)");
    const options = { ...columns("extra"), extra_column: "more" };
    await send(options, ['{"id":1,"x":1.50,"y":[1]}', '{"id":2,"more":{"x":0},"x":1,"z":2}', '{"id":3}', '{"q":1}']);
    expect(await sql(path, "SELECT id, more FROM extra ORDER BY rowid")).toEqual([
      [1n, '{"x":1.50,"y":[1]}'],
      [2n, '{"x":0,"z":2}'],
      [3n, null],
      [null, '{"q":1}'],
    ]);
  });

  it("upsert by a key that is unique, and are refused at the start by any other", async () => {
    await sql(
      path,
      "CREATE TABLE keyed (id INTEGER PRIMARY KEY, code TEXT UNIQUE, plain TEXT, a INTEGER)",
      "CREATE INDEX by_plain ON keyed (plain)",
    );
    await expect(send({ ...columns("keyed"), key: "plain" }, ["{}"])).rejects.toMatchObject({
      code: "MQB_SQL_NO_UNIQUE_KEY",
    });
    await send({ ...columns("keyed"), key: "code" }, [
      '{"code":"x","a":1}',
      '{"code":"x","plain":"p"}',
      '{"code":"x","a":2}',
    ]);
    expect(await sql(path, "SELECT code, plain, a FROM keyed")).toEqual([["x", "p", 2n]]);
  });

  it.each(["O'Brien", "'); DROP TABLE united;--", '"; DROP TABLE united;--', "?1 :a @b $c"])(
    "hold text that looks like SQL: %j",
    async (text) => {
      await sql(path, "DROP TABLE IF EXISTS injected", "CREATE TABLE injected (v TEXT, m TEXT)");
      expect(await send(columns("injected"), [JSON.stringify({ v: text, [text]: text })])).toEqual(new Map());
      const insert_query = "INSERT INTO injected (v, m) VALUES (${payload:v}, upper(${payload:v}))";
      expect(await send({ url, table: "injected", insert_query }, [JSON.stringify({ v: text })])).toEqual(new Map());
      expect(await sql(path, "SELECT v FROM injected")).toEqual([[text], [text]]);
      expect(await sql(path, "SELECT count(*) FROM united")).toEqual([[4n]]);
    },
  );
});
