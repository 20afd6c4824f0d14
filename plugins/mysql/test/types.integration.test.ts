import { readFile, writeFile } from "node:fs/promises";
import { compileFields } from "@mqb/json";
import { afterAll, beforeAll, expect, it } from "vitest";
import { read, send } from "./ends.ts";
import { freshDatabase, sql } from "./server.ts";

const PAGE = new URL("../../../docs/types/mariadb.md", import.meta.url);

let database: Awaited<ReturnType<typeof freshDatabase>>;
const rows = (query: string) => sql(query, database.url);
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

/** Values of a column of each type, as SQL, edge values among them. Every one can also be NULL. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  tinyint: ["-128", "127"],
  "tinyint(1)": ["1", "0", "5"],
  "tinyint unsigned": ["255"],
  smallint: ["-32768", "32767"],
  "mediumint unsigned": ["16777215"],
  int: ["-2147483648", "2147483647"],
  "int unsigned": ["4294967295"],
  "int(5) zerofill": ["42"],
  bigint: ["-9223372036854775808", "9223372036854775807", "9007199254740993"],
  "bigint unsigned": ["18446744073709551615", "9223372036854775808"],
  "decimal(65,30)": ["12345678901234567890123456789012345.678901234567890123456789012345", "-0.1"],
  "decimal(10,2)": ["1.50", "-99999999.99"],
  float: ["0.1", "-3.4e38", "16777217", "1e-45"],
  double: ["0.1", "1e300", "5e-324", "-0e0", "100", "123456789012345680"],
  "bit(1)": ["b'1'", "b'0'"],
  "bit(64)": ["b'1111111111111111111111111111111111111111111111111111111111111111'", "0", "0x27225c00"],
  boolean: ["true", "false"],
  "char(5)": ["'ab'"],
  "varchar(40)": ["''", "' a '", "'é ✓ 🚀'", "'tab\\tline\\nquote\"back\\\\slash\\'s'", "'null'", "'a\\0b'"],
  text: ["''"],
  longtext: ["'long'"],
  "varchar(9) character set latin1": ["'é'"],
  "varchar(9) collate utf8mb4_bin": ["'bin '"],
  "binary(4)": ["x'ff00'"],
  "varbinary(10)": ["x''", "x'00ff5c27'", "'text'"],
  blob: ["x''", "x'00ff5c270a'"],
  longblob: ["x'ff00'"],
  date: ["'2024-02-29'", "'0000-00-00'", "'2024-00-15'", "'9999-12-31'"],
  time: ["'-838:59:59'", "'03:04:05'"],
  "time(6)": ["'838:59:58.999999'"],
  datetime: ["'2024-01-02 03:04:05'", "'0000-00-00 00:00:00'"],
  "datetime(6)": ["'2024-01-02 03:04:05.678901'"],
  "timestamp(3) null": ["'2024-01-02 03:04:05.678'", "'1970-01-01 00:00:01'"],
  year: ["2024", "0000"],
  json: [`'{"b": 1,  "a":[1.50,null,12345678901234567890]}'`, `'"text"'`, "'true'", "'1.0'"],
  "enum('a','it''s')": ["'a'", "'it''s'"],
  "set('a','b')": ["'a,b'", "''"],
  uuid: ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"],
  inet6: ["'::1'", "'fe80::1'"],
  point: ["point(1.5, -2)"],
  geometry: ["st_geomfromtext('POLYGON((0 0,1 0,1 1,0 0))', 4326)"],
};

function cell(text: string): string {
  const fence = text.includes("`") ? "``" : "`";
  return `${fence}${text.replaceAll("|", "\\|")}${fence}`;
}

it("a value of each type comes out of a table as JSON and goes into another one as the same value", async () => {
  const types = Object.entries(TYPES);
  const columns = types.map(([type], i) => `c${i} ${type}`).join(", ");
  await rows(`CREATE TABLE source (id INT PRIMARY KEY, ${columns}); CREATE TABLE sink LIKE source`);
  const most = Math.max(...types.map(([, values]) => values.length));
  for (let id = 0; id <= most; id++) {
    const values = types.map(([, all]) => all[id] ?? "NULL");
    // Zero dates are refused by other modes.
    await rows(`SET sql_mode = ''; INSERT INTO source VALUES (${id}, ${values.join(", ")})`);
  }
  const texts = await read({ url: database.url, table: "source", cursor_column: "id" });
  expect(await send({ url: database.url, table: "sink", columns: "auto" }, texts)).toEqual(new Map());
  const lines: string[] = [];
  for (const [i, [type, values]] of types.entries()) {
    const shown = (table: string) => `HEX(CAST(${table}.c${i} AS BINARY))`;
    const found = await rows(
      `SELECT ${shown("s")}, ${shown("t")}, s.c${i} <=> t.c${i} FROM source s JOIN sink t USING (id) ORDER BY id`,
    );
    const finder = compileFields([[`c${i}`]]);
    for (let id = 0; id <= values.length; id++) {
      const line = Buffer.from(texts[id]!);
      finder.find(line, 0, line.length);
      const json = line.toString("utf8", finder.starts[0], finder.ends[0]);
      const [value, back, isSame] = found[id]!;
      const written = values[id] ?? "NULL";
      expect([back, isSame], `${type}: ${written}`).toEqual([value, "1"]);
      expect(value === null, `${type}: ${written}`).toBe(values[id] === undefined);
      lines.push(`| ${type.replaceAll("|", "\\|")} | ${cell(written)} | ${cell(json)} | the same |`);
    }
  }
  const page = `# Types of MySQL and MariaDB

What values are as JSON, read by a cursor, and what they are when such a row is written with \`columns: auto\` into a table of
the same columns. The second column is how the value was written. Made on MariaDB by
\`plugins/mysql/test/types.integration.test.ts\`, which fails when this page is not what it finds;
\`MQB_WRITE_DOCS=1 pnpm vitest run --project integration plugins/mysql/test/types\` writes it anew.

| type | value | as JSON | back |
| --- | --- | --- | --- |
${lines.join("\n")}
`;
  if (process.env["MQB_WRITE_DOCS"]) await writeFile(PAGE, page);
  expect(await readFile(PAGE, "utf8")).toBe(page);
});

it("long values travel whole", async () => {
  await rows(
    "CREATE TABLE long_source (id INT PRIMARY KEY, t LONGTEXT, b LONGBLOB); CREATE TABLE long_sink LIKE long_source; INSERT INTO long_source VALUES (1, REPEAT('é\"', 100000), REPEAT(x'ff0027', 100000)), (2, REPEAT('x', 65535), REPEAT('x', 300))",
  );
  const texts = await read({ url: database.url, table: "long_source", cursor_column: "id" });
  expect(await send({ url: database.url, table: "long_sink", columns: "auto" }, texts)).toEqual(new Map());
  expect(
    await rows("SELECT id FROM long_source s JOIN long_sink t USING (id) WHERE s.t = BINARY t.t AND s.b = t.b"),
  ).toEqual([["1"], ["2"]]);
});

it("columns have any names: of upper case, words of SQL, with quotes and signs that mean something elsewhere", async () => {
  const names = [
    "Order",
    "select",
    'with "quotes"',
    "a b",
    "ümlaut",
    "$1",
    "?",
    "%s",
    "a'b",
    "a\\b",
    "a`b",
    "${payload:x}",
  ];
  const columns = names.map((name) => `\`${name.replaceAll("`", "``")}\` TEXT`).join(", ");
  await rows(`CREATE TABLE \`Order\` (\`Id\` INT PRIMARY KEY, ${columns})`);
  const record = Object.fromEntries(names.map((name, i) => [name, `value ${i}`]));
  const lines = [1, 2].map((Id) => JSON.stringify({ Id, ...record }));
  const target = { url: database.url, table: "Order" };
  expect(await send({ ...target, columns: "auto", key: "Id" }, [...lines, lines[0]!])).toEqual(new Map());
  expect(await read({ ...target, cursor_column: "Id", cursor_id: "c" })).toEqual(lines);
});
