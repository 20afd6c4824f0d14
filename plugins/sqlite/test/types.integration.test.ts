import { readFile, writeFile } from "node:fs/promises";
import { compileFields } from "@mqb/json";
import { TempDir } from "@mqb/testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { read, send, sql } from "./ends.ts";

const PAGE = new URL("../../../docs/types/sqlite.md", import.meta.url);

let dir: TempDir;
let url: string;
const rows = (...statements: readonly string[]) => sql(dir.file("types.db"), ...statements);
beforeAll(async () => {
  dir = await TempDir.make();
  url = `sqlite://${dir.file("types.db")}`;
});
afterAll(() => dir.remove());

/** Values of a column of each declared type, as SQL. Every one can also be NULL. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  INTEGER: ["9223372036854775807", "-9223372036854775808", "9007199254740993", "0"],
  TEXT: ["''", "'a\"b\\c é ✓ 🚀'", "'1.0'", "char(9, 10, 13, 31)", "char(97, 0, 98)", "'NULL'"],
  "VARCHAR(10)": ["'longer than it says'"],
  REAL: ["0.1", "1e300", "5e-324", "1e-20", "2.0000000000000004", "100.0", "-0.0", "123456789012345680.0", "9e999"],
  BLOB: ["x''", "x'00'", "x'00ff5c27'"],
  NUMERIC: ["1.5", "10", "0.30000000000000004", "'text'"],
  "DECIMAL(10, 2)": ["1.5", "'12345678901234.56'"],
  "": ["1", "1.5", "'x'", "'12345678901234567890.123456789'"],
  BOOLEAN: ["1", "0"],
  DATETIME: ["'2024-01-02 03:04:05'", "1704164645"],
  JSON: [`'{"a": [1.50]}'`],
};

/** JSON has no infinity. */
const WITHOUT_A_WORD = ["9e999"];

it("a value of each declared type comes out of a table as JSON and goes into another one as the same value", async () => {
  const types = Object.entries(TYPES);
  const list = types.map(([type], i) => `c${i} ${type}`).join(", ");
  await rows(
    `CREATE TABLE source (id INTEGER PRIMARY KEY, ${list})`,
    `CREATE TABLE sink (id INTEGER PRIMARY KEY, ${list})`,
  );
  const most = Math.max(...types.map(([, values]) => values.length));
  for (let id = 0; id <= most; id++)
    await rows(`INSERT INTO source VALUES (${id}, ${types.map(([, all]) => all[id] ?? "NULL").join(", ")})`);
  const texts = await read({ url, table: "source", cursor_column: "id" });
  expect(await send({ url, table: "sink", columns: "auto" }, texts)).toEqual(new Map());
  const lines: string[] = [];
  for (const [i, [type, values]] of types.entries()) {
    const shown = (table: string) => `typeof(${table}.c${i}), quote(${table}.c${i})`;
    const found = await rows(`SELECT ${shown("s")}, ${shown("t")} FROM source s JOIN sink t USING (id) ORDER BY id`);
    const finder = compileFields([[`c${i}`]]);
    for (let id = 0; id <= values.length; id++) {
      const line = Buffer.from(texts[id]!);
      finder.find(line, 0, line.length);
      const json = line.toString("utf8", finder.starts[0], finder.ends[0]);
      const [kind, value, kindBack, back] = found[id] as [string, string, string, string];
      const hasNoWord = WITHOUT_A_WORD.includes(values[id]!);
      expect([kindBack, back], `${type}: ${value}`).toEqual(hasNoWord ? ["null", "NULL"] : [kind, value]);
      const written = values[id] ?? "NULL";
      lines.push(
        `| ${type || "(none)"} | \`${written.replaceAll("|", "\\|")}\` | ${kind} | \`${json.replaceAll("|", "\\|")}\` | ${hasNoWord ? "NULL" : "the same"} |`,
      );
    }
  }
  const page = `# Types of SQLite

What values are as JSON, read by a cursor, and what they are when such a row is written with \`columns: auto\` into a table of
the same columns. SQLite keeps any value in any column; the second column is how it was written, the third what SQLite made of it.
Made by \`plugins/sqlite/test/types.integration.test.ts\`, which fails when this page is not what it finds;
\`MQB_WRITE_DOCS=1 pnpm vitest run --project integration plugins/sqlite/test/types\` writes it anew.

| declared | value | kept as | as JSON | back |
| --- | --- | --- | --- | --- |
${lines.join("\n")}
`;
  if (process.env["MQB_WRITE_DOCS"]) await writeFile(PAGE, page);
  expect(await readFile(PAGE, "utf8")).toBe(page);
});

it("columns have any names: of upper case, words of SQL, with quotes and signs that mean something elsewhere", async () => {
  const names = [
    "Order",
    "select",
    'with "quotes"',
    "a b",
    "ümlaut",
    "$1",
    "?1",
    ":a",
    "@b",
    "a'b",
    "`c`",
    "${payload:x}",
  ];
  const columns = names.map((name) => `"${name.replaceAll('"', '""')}" TEXT`).join(", ");
  await rows(`CREATE TABLE "Order" (Id INTEGER PRIMARY KEY, ${columns})`);
  const record = Object.fromEntries(names.map((name, i) => [name, `value ${i}`]));
  const lines = [1, 2].map((Id) => JSON.stringify({ Id, ...record }));
  expect(await send({ url, table: "Order", columns: "auto", key: "Id" }, [...lines, lines[0]!])).toEqual(new Map());
  expect(await read({ url, table: "Order", cursor_column: "Id", cursor_id: "c" })).toEqual(lines);
});
