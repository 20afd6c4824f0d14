import type { ColumnInfo } from "@mqb/sql";
import { afterEach, describe, expect, it } from "vitest";
import { type Connection, loadProvider } from "../src/client/provider.ts";
import { Session } from "../src/client/session.ts";
import { preparePages } from "../src/pages.ts";

let connection: Connection | undefined;
afterEach(() => connection?.close());

/** The rows of a table as they are read by `id`, page by page. */
async function pagesOf(columns: readonly string[], rows: readonly string[], size = 10): Promise<string[][]> {
  const { DatabaseSync } = await loadProvider();
  connection = new DatabaseSync(":memory:", {});
  connection.exec(`CREATE TABLE t (${columns.join(", ")})`);
  for (const row of rows) connection.exec(`INSERT INTO t VALUES (${row})`);
  const infos = columns.map((column): ColumnInfo => {
    const [, name = "", type = ""] = /^"((?:[^"]|"")*)" ?(.*)$/.exec(column)!;
    return { name: name.replaceAll('""', '"'), type, generated: false };
  });
  const session = new Session(connection, "it", 0, async () => {});
  const table = { sql: "t", columns: infos, uniqueKeys: [["id"]] };
  const pages = await preparePages(
    session,
    { table: { table: "t", written: "t" }, cursor: "id", rfc3339: false },
    table,
  );
  const texts: string[][] = [];
  for (let after: string | undefined; ; ) {
    const { bytes, starts, ends } = await pages.read(after, size, new AbortController().signal, undefined);
    const page = Array.from(starts, (start, i) => Buffer.from(bytes.subarray(start, ends[i])).toString());
    if (page.length === 0) return texts;
    texts.push(page);
    after = /"id":(\d+)/.exec(page.at(-1)!)![1];
  }
}

describe("a row of SQLite as JSON", () => {
  it("has each value as it is, whatever its column is for", async () => {
    const columns = ['"id" INTEGER', '"t" TEXT', '"r" REAL', '"b" BLOB', '"n" NUMERIC', '"x"', '"ok" BOOLEAN'];
    const rows = [
      "1, 'a\"b', 0.1, x'00ff', 1.5, 'any', 1",
      "2, char(97, 0, 98, 10), 100.0, x'', 10, x'41', 0",
      "3, '', 1e300, 'text', '12345678901234.56', 9223372036854775807, NULL",
      "4, NULL, 'text', NULL, NULL, NULL, 'yes'",
      "5, 'é 🚀', NULL, 7, x'5c', -1, x'00'",
    ];
    expect((await pagesOf(columns, rows)).flat()).toEqual([
      '{"id":1,"t":"a\\"b","r":0.1,"b":"00ff","n":1.5,"x":"any","ok":"1"}',
      '{"id":2,"t":"a\\u0000b\\n","r":100.0,"b":"","n":10,"x":"41","ok":"0"}',
      '{"id":3,"t":"","r":1e+300,"b":"text","n":12345678901234.56,"x":9223372036854775807,"ok":null}',
      '{"id":4,"t":null,"r":"text","b":null,"n":null,"x":null,"ok":"yes"}',
      '{"id":5,"t":"é 🚀","r":null,"b":7,"n":"5c","x":-1,"ok":"00"}',
    ]);
  });

  it("has numbers with a point also where none are expected, on this page and the next ones", async () => {
    const columns = ['"id" INTEGER', '"whole" INTEGER', '"any"', '"ok" BOOLEAN', '"r" REAL'];
    const rows = ["1, 1, 'a', 1, 0.5", "2, 1.5, 0.1, 0.25, 2.5", "3, 3, x'0a', 0, 'b'", "4, 4, char(0), NULL, 4"];
    expect(await pagesOf(columns, rows, 2)).toEqual([
      ['{"id":1,"whole":1,"any":"a","ok":"1","r":0.5}', '{"id":2,"whole":1.5,"any":0.1,"ok":"0.25","r":2.5}'],
      ['{"id":3,"whole":3,"any":"0a","ok":"0","r":"b"}', '{"id":4,"whole":4,"any":"\\u0000","ok":null,"r":4.0}'],
    ]);
  });

  it("may have any number of columns, with any names", async () => {
    const odd = ['"with ""quotes"""', `"a'b"`, '"?1"', '"a\\b"'];
    const many = Array.from({ length: 400 }, (_, i) => `"c${i}" ${i % 7 === 3 ? "REAL" : "TEXT"}`);
    const values = many.map((_, i) => (i % 7 === 3 ? `${i}.5` : `'${i}'`));
    const [[row]] = (await pagesOf(
      ['"id" INTEGER', ...odd, ...many],
      [`1, 'a', 'b', 'c', 'd', ${values.join(", ")}`],
    )) as [[string]];
    expect(row).toContain(
      `{"id":1,"with \\"quotes\\"":"a","a'b":"b","?1":"c","a\\\\b":"d","c0":"0","c1":"1","c2":"2","c3":3.5,`,
    );
    expect(Object.keys(JSON.parse(row) as object)).toHaveLength(405);
  });
});
