import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, Message } from "@mqb/core/plugin";
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
const rows = (query: string) => sql(query, database.url);
const modes = [
  ["columns", { columns: "auto" }],
  ["COPY", { columns: "auto", bulk_copy: true }],
] as const;

it.each(modes)("a table that is dropped while it is written by %s is named", async (name, options) => {
  const t = `gone_${name.toLowerCase()}`;
  await rows(`CREATE TABLE ${t} (id int)`);
  const publisher = await createBridge({ registry: createRegistry([plugin]) }).openPublisher({
    sqlx: output(t, options),
  });
  try {
    const sent = async () =>
      (await publisher.send(batchOf([new Message('{"id":1}')]), new AbortController().signal)) ?? [];
    expect((await sent()).every(({ type }) => type !== "failed")).toBe(true);
    await rows(`DROP TABLE ${t}`);
    const [outcome] = await sent();
    expect(outcome).toMatchObject({
      error: { message: expect.stringContaining(`relation "${t}" does not exist`) },
    });
  } finally {
    await publisher.close();
  }
});

describe.each(modes)("rows written by %s", (name, options) => {
  const t = `t_${name.toLowerCase()}`;

  it("of integers beyond the column fail alone, and are never wrapped or rounded", async () => {
    await rows(`CREATE TABLE ${t}_big (id bigint); CREATE TABLE ${t}_num (id numeric(20))`);
    const payloads = ["9223372036854775807", "9223372036854775808", "18446744073709551615"].map((id) => `{"id":${id}}`);
    const failed = await send(output(`${t}_big`, options), payloads);
    expect([...failed.keys()]).toEqual([1, 2]);
    expect(failed.get(1)).toMatch(/MQB_SQL_REFUSED.*out of range/);
    expect(await rows(`SELECT id FROM ${t}_big`)).toEqual([["9223372036854775807"]]);
    expect(await send(output(`${t}_num`, options), payloads)).toEqual(new Map());
    expect((await rows(`SELECT id FROM ${t}_num ORDER BY 1`)).flat()).toEqual([
      "9223372036854775807",
      "9223372036854775808",
      "18446744073709551615",
    ]);
  });

  it("have the columns of all records of the batch, whatever the first one has", async () => {
    await rows(`CREATE TABLE ${t}_union (id int, a text, b text DEFAULT 'd')`);
    await send(output(`${t}_union`, options), [
      '{"id":1,"a":"x"}',
      '{"id":2,"b":"y"}',
      '{"id":3,"a":"z","b":"w"}',
      '{"id":4,"b":null}',
    ]);
    expect(await rows(`SELECT * FROM ${t}_union ORDER BY id`)).toEqual([
      ["1", "x", "d"],
      ["2", null, "y"],
      ["3", "z", "w"],
      ["4", null, null],
    ]);
  });

  it("may be wide and many: no limit of parameters is met", async () => {
    const names = Array.from({ length: 120 }, (_, i) => `c${i}`);
    await rows(`CREATE TABLE ${t}_wide (${names.map((one) => `${one} text`).join(", ")})`);
    const record = JSON.stringify(Object.fromEntries(names.map((one) => [one, `value of ${one}`])));
    expect(await send(output(`${t}_wide`, options), new Array<string>(1000).fill(record))).toEqual(new Map());
    expect(await rows(`SELECT count(*), count(c119) FROM ${t}_wide`)).toEqual([["1000", "1000"]]);
  });

  it("with a NUL character fail alone", async () => {
    await rows(`CREATE TABLE ${t}_nul (id int, note text, doc jsonb)`);
    const payloads = Array.from({ length: 100 }, (_, id) =>
      JSON.stringify({ id, note: id === 50 ? "a\u0000b" : "x", doc: id === 51 ? "\u0000" : 1 }),
    );
    const failed = await send(output(`${t}_nul`, options), payloads);
    expect([...failed.keys()].sort()).toEqual([50, 51]);
    expect(failed.get(50)).toContain("note");
    expect(await rows(`SELECT count(*) FROM ${t}_nul`)).toEqual([["98"]]);
  });

  it("of arrays, texts that need escapes and bytes arrive as they are", async () => {
    await rows(`CREATE TABLE ${t}_odd (id bigint, tags bigint[], words text[][], b bytea, txt text)`);
    const odd = 'a\\b\t"q"\n\r{,}NULL é\u2028';
    const record = `{"id":235191684988928001,"tags":[235191684988928001,null,1],"words":[["a,b","c\\"d"],["NULL",""]],"b":"00ff5c","txt":${JSON.stringify(odd)}}`;
    expect(await send(output(`${t}_odd`, options), [record])).toEqual(new Map());
    const [back] = await read({ url: database.url, table: `${t}_odd`, cursor_column: "id" });
    expect(JSON.parse(back!.replace(/235191684988928001/g, '"big"'))).toEqual({
      id: "big",
      tags: ["big", null, 1],
      words: [
        ["a,b", 'c"d'],
        ["NULL", ""],
      ],
      b: "00ff5c",
      txt: odd,
    });
  });
});

describe("an upsert", () => {
  it.each([
    ["no index", "code text"],
    ["an index that is not unique", "code text; CREATE INDEX ON KEYED (code)"],
  ])("is refused at the start where its key has %s", async (name, columns) => {
    const table = name === "no index" ? "keyed_none" : "keyed_plain";
    const [first, then = ""] = columns.split("; ");
    await rows(`CREATE TABLE ${table} (id int PRIMARY KEY, ${first}); ${then.replace("KEYED", table)}`);
    const opening = createBridge({ registry: createRegistry([plugin]) }).openPublisher({
      sqlx: output(table, { columns: "auto", key: "code" }),
    });
    await expect(opening).rejects.toMatchObject({
      code: "MQB_SQL_NO_UNIQUE_KEY",
      message: expect.stringContaining("code"),
    });
  });

  it("writes keys that come again in their order, and keeps the columns that a record lacks", async () => {
    await rows("CREATE TABLE keyed (code text UNIQUE, a int, b int)");
    const payloads = [
      '{"code":"x","a":1,"b":1}',
      '{"code":"y","a":2}',
      '{"code":"x","a":3}',
      '{"code":"x","b":null}',
      '{"a":1}',
      '{"code":null}',
    ];
    const failed = await send(output("keyed", { columns: "auto", key: "code" }), payloads);
    expect([...failed.keys()]).toEqual([4, 5]);
    expect(await rows("SELECT * FROM keyed ORDER BY code")).toEqual([
      ["x", "3", null],
      ["y", "2", null],
    ]);
  });
});

it.each(modes)("rows that are refused are not told with their values: by %s", async (name, options) => {
  const t = `told_${name.toLowerCase()}`;
  await rows(
    `CREATE TABLE ${t}_of (mail text PRIMARY KEY); CREATE DOMAIN ${t}_short AS text CHECK (length(value) < 9);
     CREATE TABLE ${t} (mail text UNIQUE, n int, other text REFERENCES ${t}_of, d timestamptz, short ${t}_short, c varchar(3), r regclass);
     CREATE FUNCTION ${t}_look() RETURNS trigger LANGUAGE plpgsql AS
       'BEGIN IF NEW.mail LIKE ''bad%'' THEN RAISE EXCEPTION ''% is bad'', NEW.mail USING ERRCODE = ''23514''; END IF; RETURN NEW; END';
     CREATE TRIGGER look BEFORE INSERT ON ${t} FOR EACH ROW EXECUTE FUNCTION ${t}_look()`,
  );
  const fields = [
    '"mail":"geheim@example.com"',
    '"mail":"geheim@example.com"',
    '"n":"geheim"',
    '"other":"geheim"',
    '"d":"2024-13-geheim"',
    '"short":"geheimgeheim"',
    '"c":"geheim"',
    '"r":"geheim"',
    '"mail":"bad geheim"',
  ];
  const failed = await send(
    output(t, options),
    fields.map((field) => `{${field}}`),
  );
  expect([...failed.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect([...failed.values()].join("\n")).not.toMatch(/geheim|example\.com/);
  expect(failed.get(1)).toContain("key (mail)=(…) already exists");
  expect(failed.get(2)).toContain("invalid input syntax for type integer: … (");
  expect(failed.get(3)).toContain(`is not present in table "${t}_of"`);
  expect(failed.get(8)).toContain(`function ${t}_look() line 1`);
});

/** What somebody might send who wants a statement to run. */
const CORPUS = [
  "O'Brien",
  "'); DROP TABLE victim;--",
  "\\'; DROP TABLE victim;--",
  '"; DROP TABLE victim;--',
  "$$; DROP TABLE victim; $$",
  "${payload:other}",
  "x\u0001\u0002\n\\.\n; DROP TABLE victim;",
  "}',NULL); DROP TABLE victim;--",
  "/* */ -- ; %s ? $1 :name",
];

describe("text that looks like SQL", () => {
  const insert = { insert_query: "INSERT INTO injected (v, m) VALUES (${payload:v}, ${metadata:m})" };

  it.each([
    ["a statement", insert],
    ["columns", { columns: "auto" }],
    ["COPY of a statement", { ...insert, bulk_copy: true }],
    ["COPY of columns", { columns: "auto", bulk_copy: true }],
  ])("is a value for %s", async (_, options) => {
    await rows(
      "DROP TABLE IF EXISTS injected, victim; CREATE TABLE victim (a int); CREATE TABLE injected (v text, m text)",
    );
    const messages = CORPUS.map(
      (text) => new Message(JSON.stringify({ v: text, m: text, [text]: text }), new Map([["m", text]])),
    );
    expect(await send(output("injected", options), messages)).toEqual(new Map());
    expect((await rows("SELECT v FROM injected WHERE v = m")).flat().sort()).toEqual([...CORPUS].sort());
    expect(await rows("SELECT count(*) FROM victim")).toEqual([["0"]]);
  });

  it("is a value for a lookup, and for the position of a cursor", async () => {
    await rows(
      "DROP TABLE IF EXISTS injected, victim; CREATE TABLE victim (a int); CREATE TABLE injected (v text PRIMARY KEY, m text)",
    );
    await send(
      output("injected", { columns: "auto" }),
      CORPUS.map((v) => JSON.stringify({ v })),
    );
    const found = await read(
      { url: database.url, table: "injected", cursor_column: "v", cursor_id: "'); DROP TABLE victim;--" },
      1,
    );
    expect(found.map((text) => (JSON.parse(text) as { v: string }).v).sort()).toEqual([...CORPUS].sort());
    expect(await rows("SELECT count(*) FROM victim")).toEqual([["0"]]);
  });

  it.each(['t"; DROP TABLE victim;--', "t; DROP TABLE victim", "a.b.c", ""])("is no name of a table: %s", (table) => {
    const checked = createBridge({ registry: createRegistry([plugin]) }).check("r", {
      input: { sqlx: { url: database.url, table } },
      output: { sqlx: { url: database.url, table } },
    });
    expect(checked.problems.some(({ level }) => level === "error")).toBe(true);
  });
});
