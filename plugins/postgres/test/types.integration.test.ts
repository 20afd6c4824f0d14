import { readFile, writeFile } from "node:fs/promises";
import { compileFields } from "@mqb/json";
import { afterAll, beforeAll, expect, it } from "vitest";
import { read, send } from "./ends.ts";
import { freshDatabase, sql } from "./server.ts";
import { MADE, TYPES, WITHOUT_A_WORD } from "./type-values.ts";

const PAGE = new URL("../../../docs/types/postgresql.md", import.meta.url);

let database: Awaited<ReturnType<typeof freshDatabase>>;
const rows = (query: string) => sql(query, database.url);
beforeAll(async () => {
  database = await freshDatabase();
  await rows(MADE);
});
afterAll(() => database.drop());

/** What a value is as JSON, and at the sink; both tables print it themselves. */
interface Way {
  readonly type: string;
  readonly value: string | null;
  readonly json: string;
  readonly back: string | null;
}

async function travel(): Promise<Way[]> {
  const types = Object.entries(TYPES);
  const columns = types.map(([type], i) => `c${i} ${type}`).join(", ");
  await rows(`CREATE TABLE source (id int PRIMARY KEY, ${columns}); CREATE TABLE sink (LIKE source)`);
  const most = Math.max(...types.map(([, values]) => values.length));
  for (let id = 0; id <= most; id++) {
    const values = types.map(([, all]) => (all[id] === undefined ? "NULL" : `'${all[id]!.replaceAll("'", "''")}'`));
    await rows(`INSERT INTO source VALUES (${id}, ${values.join(", ")})`);
  }
  const texts = await read({ url: database.url, table: "source", cursor_column: "id" });
  expect(await send({ url: database.url, table: "sink", columns: "auto" }, texts)).toEqual(new Map());
  const ways: Way[] = [];
  for (const [i, [type, values]] of types.entries()) {
    const found = await rows(`SELECT s.c${i}::text, t.c${i}::text FROM source s JOIN sink t USING (id) ORDER BY id`);
    const finder = compileFields([[`c${i}`]]);
    for (let id = 0; id <= values.length; id++) {
      const line = Buffer.from(texts[id]!);
      finder.find(line, 0, line.length);
      const json = line.toString("utf8", finder.starts[0], finder.ends[0]);
      ways.push({ type, value: found[id]![0]!, json, back: found[id]![1]! });
    }
  }
  return ways;
}

function cell(text: string | null): string {
  if (text === null) return "NULL";
  const shown = text.replace(/[\n\t\r]/g, (char) => ({ "\n": "\\n", "\t": "\\t", "\r": "\\r" })[char]!);
  const fence = shown.includes("`") ? "``" : "`";
  return shown === "" ? "(empty)" : `${fence}${shown.replaceAll("|", "\\|")}${fence}`;
}

function pageOf(ways: readonly Way[]): string {
  const lines = ways.map(({ type, value, json, back }) => {
    return `| ${type} | ${cell(value)} | ${cell(json)} | ${value === back ? "the same" : cell(back)} |`;
  });
  return `# Types of PostgreSQL

What values are as JSON, read by a cursor, and what they are when such a row is written with \`columns: auto\` into a table of
the same columns. Made by \`plugins/postgres/test/types.integration.test.ts\`, which fails when this page is not what it finds;
\`MQB_WRITE_DOCS=1 pnpm vitest run --project integration plugins/postgres/test/types\` writes it anew.

| type | value | as JSON | back |
| --- | --- | --- | --- |
${lines.join("\n")}
`;
}

it("a value of each type comes out of a table as JSON and goes into another one as the same value", async () => {
  const ways = await travel();
  for (const { type, value, back } of ways) {
    const hasNoWord = value !== null && WITHOUT_A_WORD[type]?.includes(value);
    expect(back, `${type}: ${value}`).toBe(hasNoWord ? null : value);
  }
  const page = pageOf(ways);
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
    "?",
    "%s",
    "a'b",
    "a\\b",
    "${payload:x}",
    "x.y",
  ];
  const quoted = names.map((name) => `"${name.replaceAll('"', '""')}"`);
  await rows(
    `CREATE SCHEMA "Shop"; CREATE TABLE "Shop"."Order" ("Id" int PRIMARY KEY, ${quoted.map((name) => `${name} text`).join(", ")});
     CREATE TABLE "Shop"."Copy" (LIKE "Shop"."Order" INCLUDING ALL)`,
  );
  const record = Object.fromEntries(names.map((name, i) => [name, `value ${i}`]));
  const target = { url: database.url, table: "Shop.Order" };
  const lines = [JSON.stringify({ Id: 1, ...record }), JSON.stringify({ Id: 2, ...record })];
  expect(await send({ ...target, columns: "auto", key: "Id" }, [...lines, lines[0]!])).toEqual(new Map());
  const texts = await read({ ...target, cursor_column: "Id", cursor_id: "c" });
  expect(texts).toEqual(lines);
  for (const options of [{ columns: "auto" }, { columns: "auto", bulk_copy: true }]) {
    await rows('TRUNCATE "Shop"."Copy"');
    expect(await send({ ...target, table: "Shop.Copy", ...options }, texts)).toEqual(new Map());
    expect(await rows('SELECT * FROM "Shop"."Copy" EXCEPT SELECT * FROM "Shop"."Order"')).toEqual([]);
    expect(await rows('SELECT count(*) FROM "Shop"."Copy"')).toEqual([["2"]]);
  }
});
