import { createBridge, createRegistry } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { eventually, TempDir } from "@mqb/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { freshDatabase, sql } from "./server.ts";

let dir: TempDir;
let database: Awaited<ReturnType<typeof freshDatabase>>;
const rows = (query: string) => sql(query, database.url);
beforeEach(async () => {
  dir = await TempDir.make();
  database = await freshDatabase();
  for (const table of ["one", "two", "three"])
    await rows(
      `CREATE TABLE ${table} (id int PRIMARY KEY, source text DEFAULT '${table}');
       INSERT INTO ${table} SELECT generate_series(1, 300)`,
    );
});
afterEach(async () => {
  await database.drop();
  await dir.remove();
});

/** Three tables one after another; the phase that was reached stands in the same database, as do their positions. */
function routeOf(draining: boolean) {
  const phase = (table: string) => ({
    sqlx: {
      url: database.url,
      table,
      cursor_column: "id",
      cursor_id: "c",
      cursor_safety: "none",
      polling_interval_ms: 5,
    },
  });
  const sequence = {
    cursor_id: "backfill",
    checkpoint_store: `${database.url}/mqb_cursors_phases`,
    endpoints: ["one", "two", "three"].map(phase),
  };
  const bridge = createBridge({ registry: createRegistry([standard, file, plugin]), baseDir: dir.path });
  return bridge.route("r", {
    exit_on_empty: draining,
    concurrency: 2,
    batch_size: 20,
    input: { sequence },
    output: { file: { path: "out.jsonl", format: "raw" }, middlewares: [{ delay: { delay_ms: 10 } }] },
  });
}

async function written(): Promise<string[]> {
  return (await dir.read("out.jsonl").catch(() => "")).split("\n").filter((line) => line !== "");
}

describe("tables one after another", () => {
  it("are read on from where they stopped, in whichever phase that was, and none again", async () => {
    // Stopped once in each phase, at different places of it.
    for (const least of [60, 400, 700]) {
      const route = routeOf(false);
      await route.start();
      await eventually(async () => (await written()).length >= least, `${least} rows`, 60_000);
      await route.stop();
    }
    const last = routeOf(true);
    await last.start();
    expect(await last.done).toMatchObject({ outcome: "completed" });
    const lines = await written();
    expect(lines).toHaveLength(900);
    expect(new Set(lines).size).toBe(900);
    expect(lines.map((line) => (JSON.parse(line) as { source: string }).source)).toEqual(
      ["one", "two", "three"].flatMap((table) => new Array<string>(300).fill(table)),
    );
    expect((await rows("SELECT cursor_id FROM mqb_cursors_phases")).length).toBe(1);
    // What comes later is of the last phase; those before it are done with.
    await rows("INSERT INTO one VALUES (301); INSERT INTO three VALUES (301)");
    const again = routeOf(true);
    await again.start();
    await again.done;
    expect((await written()).slice(900)).toEqual(['{"id":301,"source":"three"}']);
  }, 180_000);
});
