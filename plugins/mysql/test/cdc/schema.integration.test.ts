import { afterEach, beforeEach, expect, it } from "vitest";
import { freshDatabase, freshName, sql } from "../server.ts";
import { Capture } from "./capture.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
let source: Capture;
const rows = (query: string) => sql(query, database.url);
const open = async (more: Readonly<Record<string, unknown>> = {}) => {
  source = await Capture.open({ url: database.url, cursor_id: "c", checkpoint_store: "memory://", ...more });
};
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  await source.close();
  await database.drop();
});

it("columns that are added, renamed, moved, changed and dropped in the middle are those of the moment of each change", async () => {
  await rows("CREATE TABLE t (id INT PRIMARY KEY, a INT)");
  await open();
  for (const statement of [
    "INSERT INTO t VALUES (1, 10)",
    "ALTER TABLE t ADD COLUMN b VARCHAR(9) FIRST",
    "INSERT INTO t VALUES ('x', 2, 20)",
    "ALTER TABLE t RENAME COLUMN a TO c, MODIFY b VARCHAR(9) AFTER c",
    "INSERT INTO t VALUES (3, 30, 'y')",
    "ALTER TABLE t MODIFY c BIGINT UNSIGNED",
    "INSERT INTO t VALUES (4, 18446744073709551615, 'z')",
    "ALTER TABLE t DROP COLUMN b",
    "UPDATE t SET c = 5 WHERE id = 1",
    "DROP TABLE t",
    "CREATE TABLE t (id INT PRIMARY KEY, d INT)",
    "INSERT INTO t VALUES (1, 1)",
  ])
    await rows(statement);
  expect((await source.take(6)).map((message) => message.text())).toEqual([
    '{"id":1,"a":10}',
    '{"b":"x","id":2,"a":20}',
    '{"id":3,"c":30,"b":"y"}',
    '{"id":4,"c":18446744073709551615,"b":"z"}',
    '{"id":1,"c":5}',
    '{"id":1,"d":1}',
  ]);
});

it("only the tables that are named come, from whatever database, by the server's rules for names", async () => {
  const other = await freshDatabase();
  const name = new URL(other.url).pathname.slice(1);
  await rows(`CREATE TABLE \`Odd "name" ü\` (id INT PRIMARY KEY); CREATE TABLE not_this (id INT)`);
  await sql("CREATE TABLE t (id INT)", other.url);
  await open({ tables: ['Odd "name" ü', `${name}.t`] });
  await rows('INSERT INTO not_this VALUES (1); INSERT INTO `Odd "name" ü` VALUES (2)');
  await sql("INSERT INTO t VALUES (3)", other.url);
  const messages = await source.take(2);
  expect(messages.map(({ metadata }) => metadata.get("mysql.table"))).toEqual(['Odd "name" ü', "t"]);
  // Nothing tells its rows apart.
  expect(messages[1]!.metadata.has("mysql.key")).toBe(false);
  await other.drop();
});

it("a table that is made later comes too, where all of a database are captured, and state of ours does not", async () => {
  await open();
  const table = freshName("t");
  await rows(
    `CREATE TABLE mqb_state (k INT); INSERT INTO mqb_state VALUES (1); CREATE TABLE ${table} SELECT 5 AS id; INSERT INTO ${table} VALUES (6)`,
  );
  expect((await source.take(2)).map((message) => message.text())).toEqual(['{"id":5}', '{"id":6}']);
});

it("tables without transactions come like others, and how far a sequence is does not", async () => {
  await rows("CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE = MyISAM; CREATE SEQUENCE s");
  await open();
  await rows("INSERT INTO t VALUES (1, NEXT VALUE FOR s), (2, NEXT VALUE FOR s); UPDATE t SET v = 9 WHERE id = 2");
  await rows("START TRANSACTION; INSERT INTO t VALUES (3, 3); ROLLBACK");
  expect((await source.take(4)).map((message) => message.text())).toEqual([
    '{"id":1,"v":1}',
    '{"id":2,"v":2}',
    '{"id":2,"v":9}',
    '{"id":3,"v":3}',
  ]);
});

it("what is rolled back never comes, whole or in part, and rows of a prepared transaction come with a warning", async () => {
  await rows("CREATE TABLE t (id INT PRIMARY KEY)");
  await open();
  await rows("START TRANSACTION; INSERT INTO t VALUES (1); ROLLBACK");
  await rows(
    "START TRANSACTION; INSERT INTO t VALUES (2); SAVEPOINT s; INSERT INTO t VALUES (3); ROLLBACK TO s; COMMIT",
  );
  await rows(
    "XA START 'x'; INSERT INTO t VALUES (4); XA END 'x'; XA PREPARE 'x'; XA COMMIT 'x'; INSERT INTO t VALUES (5)",
  );
  expect((await source.take(3)).map((message) => message.text())).toEqual(['{"id":2}', '{"id":4}', '{"id":5}']);
  expect(source.log.at("warn").join()).toContain("XA transaction");
});

it("texts of every character set come in UTF-8, and one that cannot is refused by name", async () => {
  await rows(
    `CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9) CHARACTER SET latin1, b VARCHAR(9) CHARACTER SET cp1251,
       c VARCHAR(9) CHARACTER SET utf16, d VARCHAR(9) CHARACTER SET utf32, e TEXT CHARACTER SET ucs2,
       f ENUM('ä', 'x"') CHARACTER SET latin1, g SET('é', 'b') CHARACTER SET latin2, h VARCHAR(9) CHARACTER SET utf16le,
       i CHAR(4) CHARACTER SET ascii, j VARCHAR(9) COLLATE utf8mb4_uca1400_as_cs)`,
  );
  await open();
  await rows("INSERT INTO t VALUES (1, '€ü', 'Дж', 'é🚀', 'é🚀', 'é\\n', 'x\"', 'é,b', 'ж', 'a', 'ß')");
  await rows("CREATE TABLE s (id INT PRIMARY KEY, a VARCHAR(9) CHARACTER SET sjis); INSERT INTO s VALUES (1, 'x')");
  expect((await source.take(1))[0]!.text()).toBe(
    '{"id":1,"a":"€ü","b":"Дж","c":"é🚀","d":"é🚀","e":"é\\n","f":"x\\"","g":"é,b","h":"ж","i":"a","j":"ß"}',
  );
  await expect(source.receive()).rejects.toMatchObject({ code: "MQB_MYSQL_COLUMN", kind: "config" });
});

it("addresses and numbers with leading zeros are as the server prints them", async () => {
  await rows(
    "CREATE TABLE t (id INT PRIMARY KEY, a INET6, b INET4, c UUID, d TINYINT(4) ZEROFILL, e DECIMAL(8,2) ZEROFILL, f MEDIUMINT ZEROFILL, g BINARY(4), h CHAR(4))",
  );
  await open();
  const addresses = [
    "::",
    "::1",
    "1::",
    "::ffff:1.2.3.4",
    "::1.2.3.4",
    "1:0:0:2:0:0:0:3",
    "2001:db8::1:0:0:1",
    "fe80::1:2",
  ];
  for (const [id, address] of addresses.entries())
    await rows(`INSERT INTO t VALUES (${id}, '${address}', '1.0.0.0', UUID(), 5, 1.5, 7, x'0a', 'x ')`);
  const wanted = await rows("SELECT a, b, c, d, e, f, LOWER(HEX(g)), h FROM t ORDER BY id");
  const got = (await source.take(addresses.length)).map((message) => message.json() as Record<string, unknown>);
  expect(got.map(({ id: _, ...rest }) => Object.values(rest))).toEqual(wanted);
});
