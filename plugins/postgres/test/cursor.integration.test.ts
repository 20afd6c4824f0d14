import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { read, send } from "./ends.ts";
import { freshDatabase, sql } from "./server.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const rows = (query: string) => sql(query, database.url);
const ids = (texts: readonly string[]) => texts.map((text) => (JSON.parse(text) as { id: number }).id);

/** A column of each type with its edge values, as PostgreSQL reads them. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  smallint: ["-32768", "32767"],
  integer: ["-2147483648", "2147483647"],
  bigint: ["-9223372036854775808", "9223372036854775807", "9007199254740993"],
  numeric: ["123456789012345678901234567890.123456789", "-0.10", "NaN", "1e-20"],
  "numeric(10,2)": ["1.50", "-99999999.99"],
  real: ["0.1", "-3.4e38", "1e-45"],
  "double precision": ["0.1", "1e300", "5e-324", "-0", "100", "123456789012345680"],
  money: ["-92233720368547758.08", "1234.5"],
  boolean: ["true", "false"],
  text: ["", " a ", 'tab\tline\nquote"backslash\\', "é ✓ 🚀", "{1,2}", "null"],
  "varchar(5)": ["abc  "],
  "char(5)": ["ab"],
  bytea: ["", "\\x00ff5c27", "\\xdeadbeef"],
  date: ["2024-02-29", "0044-03-15 BC", "infinity", "-infinity"],
  time: ["03:04:05.678901", "24:00:00"],
  timetz: ["03:04:05+02"],
  timestamp: ["2024-01-02 03:04:05.678901", "infinity", "12024-01-02 00:00:00"],
  timestamptz: ["2024-01-02 03:04:05.5+02", "-infinity", "0044-03-15 12:00:00+00 BC"],
  interval: ["1 year 2 mons -3 days 04:05:06.7", "-00:00:01"],
  uuid: ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
  json: ['{"b": 1,  "a":[1.50,null]}', '"text"', "1e400", "true"],
  jsonb: ['{"a": [1.50, null], "b": 12345678901234567890}', '"text"'],
  "int[]": ["{}", "{1,NULL,-3}", "{{1,2},{3,4}}"],
  "bigint[]": ["{9223372036854775807}"],
  "text[]": ['{"a,b","c\\"d",NULL,"NULL",""}', '{"\\\\"}'],
  "boolean[]": ["{t,f,NULL}"],
  "numeric[]": ["{1.50,12345678901234567890.5}"],
  "jsonb[]": ['{"{\\"a\\": 1}"}'],
  inet: ["192.168.0.1/24", "::1"],
  "bit(4)": ["1010"],
  varbit: ["101"],
  int4range: ["[1,5)", "empty"],
  mood: ["sad"],
  posint: ["5"],
  point: ["(1.5,2)"],
  xml: ['<a b="1">x</a>'],
};

describe("a value of each type", () => {
  it("comes out of a table as JSON and goes into another one as the same value", async () => {
    await rows("CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE DOMAIN posint AS int CHECK (value > 0)");
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
    for (const [i, [type, values]] of types.entries()) {
      // NaN and the infinities of reals are null in JSON; there is none among these.
      const missing = await rows(
        `SELECT s.c${i}::text, t.c${i}::text FROM source s JOIN sink t USING (id) WHERE s.c${i}::text IS DISTINCT FROM t.c${i}::text`,
      );
      expect(missing, `${type}: ${values.join(" ")}`).toEqual([]);
    }
  });
});

describe("rows in the order of a column", () => {
  it("leave those without a value out, and keep rows of one value together", async () => {
    await rows(
      "CREATE TABLE ties (id int, k text); INSERT INTO ties VALUES (1,'a'),(2,'b'),(3,'b'),(4,'b'),(5,NULL),(6,'c')",
    );
    expect(ids(await read({ url: database.url, table: "ties", cursor_column: "k" }, 3))).toEqual([1, 2, 3, 4, 6]);
  });

  it("go on behind the last that was acked, also when more come", async () => {
    await rows("CREATE TABLE more (id bigint PRIMARY KEY); INSERT INTO more SELECT generate_series(1, 2000)");
    const input = { url: database.url, table: "more", cursor_column: "id", cursor_id: "c" };
    expect(await read(input, 100)).toHaveLength(2000);
    await rows("INSERT INTO more VALUES (9223372036854775807)");
    expect(await read(input)).toEqual(['{"id":9223372036854775807}']);
    expect(await rows("SELECT last_value::json->>'value' FROM mqb_cursors_more")).toEqual([
      ["int:9223372036854775807"],
    ]);
  });
});
