import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { read } from "./ends.ts";
import { freshDatabase, sql } from "./server.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

const rows = (query: string) => sql(query, database.url);
const ids = (texts: readonly string[]) => texts.map((text) => (JSON.parse(text) as { id: number }).id);

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
