import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { loadProvider } from "../src/client/provider.ts";
import { send, sql } from "./ends.ts";

describe("a database that somebody else has locked", () => {
  it("is waited for, while this process works on", async () => {
    await using dir = await TempDir.make();
    const path = dir.file("locked.db");
    await sql(path, "CREATE TABLE t (a INTEGER)");
    const { DatabaseSync } = await loadProvider();
    const other = new DatabaseSync(path, {});
    other.exec("BEGIN IMMEDIATE");
    let turns = 0;
    const sending = send({ url: `sqlite://${path}`, table: "t", columns: "auto" }, ['{"a":1}']);
    // The lock is given back by this very process, which it could not do if the wait blocked it.
    while (turns < 20) {
      turns++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    other.exec("COMMIT");
    other.close();
    expect(await sending).toEqual(new Map());
    expect(await sql(path, "SELECT a FROM t")).toEqual([[1n]]);
  });

  it("for longer than acquire_timeout_ms makes the batch retryable, not refused", async () => {
    await using dir = await TempDir.make();
    const path = dir.file("locked.db");
    await sql(path, "CREATE TABLE t (a INTEGER)");
    const { DatabaseSync } = await loadProvider();
    const other = new DatabaseSync(path, {});
    other.exec("BEGIN IMMEDIATE");
    const options = { url: `sqlite://${path}`, table: "t", columns: "auto", acquire_timeout_ms: 50 };
    const failed = await send(options, ['{"a":1}', '{"a":2}']);
    expect([...failed.values()]).toEqual([
      expect.stringMatching(/^MQB_SQL_BUSY/),
      expect.stringMatching(/^MQB_SQL_BUSY/),
    ]);
    other.exec("COMMIT");
    other.close();
  });
});
