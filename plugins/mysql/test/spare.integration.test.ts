import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Message } from "@mqb/core/plugin";
import { testConnector } from "@mqb/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectorOn, kinds } from "./connectors.ts";
import { read, send } from "./ends.ts";
import { freshDatabase, SPARE, sql } from "./server.ts";

/** What stops the server, or changes its settings for everybody, on one that nobody else uses. */
const services = fileURLToPath(new URL("../../../scripts/services", import.meta.url));
const service = async (verb: string): Promise<void> => {
  await promisify(execFile)(services, [verb, "mariadb-spare"]);
};
beforeAll(() => service("up"), 150_000);

// What the other server has shown already is not shown again.
const disturbing = Object.assign(
  ((name: string, ...rest: readonly unknown[]) => {
    if (/server that is|restart of the server/.test(name) && !name.startsWith("left out"))
      Reflect.apply(it, undefined, [name, ...rest]);
  }) as typeof it,
  it,
);

describe("a server that is stopped and killed", () => {
  for (const kind of kinds.slice(0, 2)) {
    const named = (title: string, body: () => void) => describe(`${title}, ${kind.name}`, body);
    const kill = async (): Promise<void> => {
      await service("kill");
      await service("up");
    };
    const more = { restart: () => service("restart"), kill, patienceMs: 60_000, timeoutMs: 180_000 };
    testConnector({ describe: named, it: disturbing }, connectorOn(SPARE, kind, more));
  }
});

/** What somebody might send who wants a statement to run. */
const CORPUS = [
  "O'Brien",
  "'); DROP TABLE victim;--",
  "\\'; DROP TABLE victim;-- ",
  "\\",
  "\\\\'",
  '"; DROP TABLE victim;--',
  "`; DROP TABLE victim;--",
  "${payload:other}",
  "x\u0000\u0001\u001a\n; DROP TABLE victim;#",
  "/*! DROP TABLE victim */ -- ; %s ? :name",
  "\u00bf' OR 1=1 -- ",
  "0x27 OR 1=1",
];

describe.each(["", "ANSI_QUOTES,NO_BACKSLASH_ESCAPES", "ORACLE"])(
  "text that looks like SQL, with sql_mode %j",
  (mode) => {
    let url: string;
    let own: Awaited<ReturnType<typeof freshDatabase>>;
    beforeAll(async () => {
      own = await freshDatabase(SPARE);
      url = own.url;
      await sql("CREATE TABLE victim (a INT)", url);
      await sql(`SET GLOBAL sql_mode = '${mode}'`, SPARE);
    });
    afterAll(async () => {
      await sql("SET GLOBAL sql_mode = DEFAULT", SPARE);
      await own.drop();
    });

    it.each([
      ["a statement", { insert_query: "INSERT INTO injected (v, m) VALUES (${payload:v}, ${metadata:m})" }],
      ["columns", { columns: "auto" }],
    ])("is a value for %s", async (_, options) => {
      await sql("DROP TABLE IF EXISTS injected; CREATE TABLE injected (v TEXT, m TEXT)", url);
      const messages = CORPUS.map(
        (text) => new Message(JSON.stringify({ v: text, m: text, [text]: text }), new Map([["m", text]])),
      );
      expect(await send({ url, table: "injected", ...options }, messages)).toEqual(new Map());
      expect((await sql("SELECT v FROM injected WHERE v = m", url)).flat().sort()).toEqual([...CORPUS].sort());
      expect(await sql("SELECT COUNT(*) FROM victim", url)).toEqual([["0"]]);
    });

    it("is a value for the position of a cursor, and for the payload of a queue", async () => {
      await sql("DROP TABLE IF EXISTS seen; CREATE TABLE seen (v VARCHAR(99) COLLATE utf8mb4_bin PRIMARY KEY)", url);
      await send(
        { url, table: "seen", columns: "auto" },
        CORPUS.map((v) => JSON.stringify({ v })),
      );
      const input = { url, table: "seen", cursor_column: "v", cursor_id: "'); DROP TABLE victim;--" };
      const found = await read(input, 1);
      expect(found.map((text) => (JSON.parse(text) as { v: string }).v).sort()).toEqual([...CORPUS].sort());
      expect(await send({ url, table: "q", auto_create_table: true }, CORPUS)).toEqual(new Map());
      expect((await sql("SELECT payload FROM q ORDER BY id", url)).flat()).toEqual(CORPUS);
      expect(await sql("SELECT COUNT(*) FROM victim", url)).toEqual([["0"]]);
    });
  },
);
