import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { read, send } from "./ends.ts";
import { freshDatabase, sql } from "./server.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const rows = (query: string) => sql(query, database.url);

/** A column of each type with its edge values, as MariaDB reads them. */
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
  text: ["''", "repeat('x', 65535)"],
  longtext: ["repeat('é', 100000)"],
  "varchar(9) character set latin1": ["'é'"],
  "varchar(9) collate utf8mb4_bin": ["'bin '"],
  "binary(4)": ["x'ff00'"],
  "varbinary(10)": ["x''", "x'00ff5c27'", "'text'"],
  blob: ["x''", "x'00ff5c270a'"],
  longblob: ["repeat(x'ff00', 100000)"],
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

describe("a value of each type", () => {
  it("comes out of a table as JSON and goes into another one as the same value", async () => {
    const types = Object.entries(TYPES);
    const columns = types.map(([type], i) => `c${i} ${type}`).join(", ");
    await rows(`CREATE TABLE source (id int PRIMARY KEY, ${columns}); CREATE TABLE sink LIKE source`);
    const most = Math.max(...types.map(([, values]) => values.length));
    for (let id = 0; id <= most; id++) {
      const values = types.map(([, all]) => all[id] ?? "NULL");
      await rows(`SET sql_mode = ''; INSERT INTO source VALUES (${id}, ${values.join(", ")})`);
    }
    const texts = await read({ url: database.url, table: "source", cursor_column: "id" });
    expect(await send({ url: database.url, table: "sink", columns: "auto" }, texts)).toEqual(new Map());
    for (const [i, [type, values]] of types.entries()) {
      const differ = await rows(
        `SELECT HEX(s.c${i}), HEX(t.c${i}) FROM source s JOIN sink t USING (id) WHERE NOT (CAST(s.c${i} AS BINARY) <=> CAST(t.c${i} AS BINARY) AND s.c${i} <=> t.c${i})`,
      );
      expect(differ, `${type}: ${values.join(" ")}`).toEqual([]);
    }
  });
});
