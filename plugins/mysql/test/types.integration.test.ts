import { readFile, writeFile } from "node:fs/promises";
import { compileFields } from "@mqb/json";
import { afterAll, beforeAll, expect, it } from "vitest";
import { read, send } from "./ends.ts";
import { freshDatabase, sql } from "./server.ts";
import { TYPES } from "./type-values.ts";

const PAGE = new URL("../../../docs/types/mariadb.md", import.meta.url);

let database: Awaited<ReturnType<typeof freshDatabase>>;
const rows = (query: string) => sql(query, database.url);
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

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
