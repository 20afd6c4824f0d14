import { createBridge, createRegistry } from "@mqb/core";
import standard from "@mqb/standard";
import { createConnection } from "mysql2/promise";
import { expect, it } from "vitest";
import plugin from "../src/index.ts";
import { freshDatabase, sql } from "./server.ts";

const LOCKED_MS = 200;

it("a drain waits for free rows that are locked, as those beside a deletion that scans the table are", async () => {
  const database = await freshDatabase();
  const other = await createConnection(database.url);
  try {
    await sql(
      "CREATE TABLE q (id BIGINT AUTO_INCREMENT PRIMARY KEY, payload LONGBLOB NOT NULL, locked_until DATETIME(6)); INSERT INTO q (payload) VALUES ('a'),('b'),('c'),('d'),('e')",
      database.url,
    );
    await other.query("START TRANSACTION");
    await other.query("DELETE FROM q WHERE id IN (1, 2, 3, 4)");
    const bridge = createBridge({ registry: createRegistry([standard, plugin]) });
    const route = bridge.route("drained", {
      exit_on_empty: true,
      input: { sqlx: { url: database.url, table: "q", delete_after_read: true, polling_interval_ms: 5 } },
      output: { null: null },
    });
    await route.start();
    // What ends too early ends within this time; a slow server makes the test weaker, not wrong.
    await Promise.race([route.done, new Promise((resolve) => setTimeout(resolve, LOCKED_MS))]);
    await other.query("COMMIT");
    const result = await route.done;
    expect(result.outcome).toBe("completed");
    expect(result.accounting.received).toBe(1);
    expect(await sql("SELECT COUNT(*) FROM q", database.url)).toEqual([["0"]]);
  } finally {
    await other.end();
    await database.drop();
  }
});
