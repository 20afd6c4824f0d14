import { afterEach, beforeEach, expect, it } from "vitest";
import { read } from "../ends.ts";
import { freshDatabase, sql } from "../server.ts";
import { TYPES } from "../type-values.ts";
import { Capture } from "./capture.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
let opened: Capture[];
const rows = (query: string) => sql(query, database.url);
beforeEach(async () => {
  database = await freshDatabase();
  opened = [];
});
afterEach(async () => {
  for (const capture of opened) await capture.close();
  await database.drop();
});

async function capture(options: Readonly<Record<string, unknown>> = {}, more = {}): Promise<Capture> {
  const one = await Capture.open(
    { url: database.url, cursor_id: "c", checkpoint_store: "memory://", ...options },
    more,
  );
  opened.push(one);
  return one;
}

const texts = (messages: Iterable<{ text(): string }>): string[] => Array.from(messages, (message) => message.text());

it("changes come with what they were, in the order of their commits", async () => {
  await rows("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))");
  const source = await capture({}, { positions: true });
  await rows("INSERT INTO t VALUES (1, 'a'), (2, 'b')");
  await rows(
    "UPDATE t SET v = 'c' WHERE id = 1; UPDATE t SET id = 3 WHERE id = 2; DELETE FROM t WHERE id = 3; TRUNCATE t",
  );
  const messages = await source.take(6);
  expect(texts(messages)).toEqual([
    '{"id":1,"v":"a"}',
    '{"id":2,"v":"b"}',
    '{"id":1,"v":"c"}',
    '{"id":3,"v":"b"}',
    '{"id":3,"v":"b"}',
    "{}",
  ]);
  const of = (name: string) => messages.map(({ metadata }) => metadata.get(name));
  expect(of("mysql.operation")).toEqual(["insert", "insert", "update", "update", "delete", "truncate"]);
  expect(of("mysql.key")).toEqual(["[1]", "[2]", "[1]", "[3]", "[3]", undefined]);
  expect(of("mysql.old_key")).toEqual([undefined, undefined, undefined, "[2]", undefined, undefined]);
  expect(new Set(of("mysql.table"))).toEqual(new Set(["t"]));
  expect(new Set(of("mysql.schema"))).toEqual(new Set([new URL(database.url).pathname.slice(1)]));
  expect(of("mysql.gtid").every((gtid) => /^\d+-\d+-\d+$/.test(gtid ?? ""))).toBe(true);
  expect(new Set(of("mysql.gtid")).size).toBe(5);
  expect(of("mysql.position").every((place) => /^binlog\.\d{6}:\d+$/.test(place ?? ""))).toBe(true);
  expect(of("mqb.src.mysql_ordinal")).toEqual(["0", "1", "0", "0", "0", "0"]);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(6);
});

it("each type is what a cursor reads, as a change and as a row that was there before", async () => {
  const types = Object.entries(TYPES);
  const columns = types.map(([type], i) => `c${i} ${type}`).join(", ");
  await rows(`CREATE TABLE source (id INT PRIMARY KEY, ${columns})`);
  const source = await capture();
  const most = Math.max(...types.map(([, values]) => values.length));
  for (let id = 0; id <= most; id++) {
    const values = types.map(([, all]) => all[id] ?? "NULL");
    await rows(`SET sql_mode = ''; INSERT INTO source VALUES (${id}, ${values.join(", ")})`);
  }
  const wanted = await read({ url: database.url, table: "source", cursor_column: "id" });
  expect(texts(await source.take(most + 1))).toEqual(wanted);
  const snapshot = await capture({ consume: "snapshot" }, { draining: true });
  expect(texts(await snapshot.drain())).toEqual(wanted);
});
