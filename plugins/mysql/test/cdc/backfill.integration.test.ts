import { TempDir } from "@mqb/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freshDatabase, sql } from "../server.ts";
import { Capture } from "./capture.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
let dir: TempDir;
const rows = (query: string) => sql(query, database.url);
beforeEach(async () => {
  database = await freshDatabase();
  dir = await TempDir.make();
});
afterEach(async () => {
  await database.drop();
  await dir.remove();
});

const options = (more: Readonly<Record<string, unknown>> = {}) => ({
  url: database.url,
  consume: "capture_all",
  cursor_id: "c",
  checkpoint_store: dir.file("state.json"),
  ...more,
});

interface Row {
  readonly id: number;
  readonly v: number;
}

describe("rows first, then the changes behind them", () => {
  it("give each row and each change once, while others write", { timeout: 60_000 }, async () => {
    await rows(
      "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, v INT NOT NULL); INSERT INTO t (v) SELECT 0 FROM seq_1_to_5000",
    );
    let isOver = false;
    const inserted: Promise<number>[] = [0, 1, 2].map(async (writer) => {
      let count = 0;
      while (!isOver) {
        await rows(
          `START TRANSACTION; INSERT INTO t (v) VALUES (1); UPDATE t SET v = v + 1 WHERE id = ${1 + writer + 3 * ((count * 7) % 1666)}; COMMIT`,
        );
        count++;
      }
      return count;
    });
    const source = await Capture.open(options());
    const seen = new Map<number, number>();
    let [snapshot, changes] = [0, 0];
    const note = (messages: Iterable<{ json(): unknown; metadata: ReadonlyMap<string, string> }>) => {
      for (const message of messages) {
        const { id, v } = message.json() as Row;
        const kind = message.metadata.get("mysql.operation");
        const isRow = message.metadata.get("mysql.snapshot") === "true";
        if (isRow) snapshot++;
        else changes++;
        // An insert of a row that is there, or an update that does not go on from what was seen, is a gap or a double.
        if (kind === "insert") expect(seen.has(id)).toBe(false);
        else expect(v).toBe(seen.get(id)! + 1);
        seen.set(id, v);
      }
    };
    while (changes < 200) note(await source.take(1));
    isOver = true;
    const count = (await Promise.all(inserted)).reduce((sum, one) => sum + one, 0);
    const wanted = await rows("SELECT id, v FROM t ORDER BY id");
    const isThere = () => wanted.every(([id, v]) => seen.get(Number(id)) === Number(v));
    while (!isThere()) note(await source.take(1));
    expect(seen.size).toBe(wanted.length);
    expect(seen.size).toBe(5000 + count);
    expect(snapshot).toBeGreaterThanOrEqual(5000);
    expect(changes).toBeLessThanOrEqual(2 * count);
    await source.close();
  });

  it("go on behind the last acked row after a restart, and lose nothing that has changed meanwhile", async () => {
    await rows("CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL); INSERT INTO t SELECT seq, 0 FROM seq_1_to_100");
    const first = await Capture.open(options());
    const begun = await first.take(40, 20);
    await first.close();
    expect(begun.map((message) => (message.json() as Row).id)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    await rows("UPDATE t SET v = 1 WHERE id IN (5, 95); DELETE FROM t WHERE id IN (6, 96)");
    const second = await Capture.open(options());
    const state = new Map<number, number>(begun.map((message) => [(message.json() as Row).id, 0]));
    // 59 rows, and the four changes.
    for (const message of await second.take(63)) {
      const { id, v } = message.json() as Row;
      if (message.metadata.get("mysql.operation") === "delete") state.delete(id);
      else state.set(id, v);
    }
    expect([...state].sort(([a], [b]) => a - b)).toEqual(
      (await rows("SELECT id, v FROM t ORDER BY id")).map(([id, v]) => [Number(id), Number(v)]),
    );
    await rows("INSERT INTO t VALUES (200, 2)");
    expect((await second.take(1))[0]!.text()).toBe('{"id":200,"v":2}');
    await second.close();
    const third = await Capture.open(options(), { draining: true });
    expect(await third.drain()).toEqual([]);
    await third.close();
  });

  it("are the rows only, for a snapshot, which then ends", async () => {
    await rows(
      "CREATE TABLE a (id VARCHAR(9) PRIMARY KEY, v INT); CREATE TABLE b (id INT PRIMARY KEY); INSERT INTO a VALUES ('B', 1), ('a', 2); INSERT INTO b VALUES (7)",
    );
    const source = await Capture.open(options({ consume: "snapshot" }));
    const messages = await source.take(3);
    expect(messages.map((message) => message.text())).toEqual(['{"id":"a","v":2}', '{"id":"B","v":1}', '{"id":7}']);
    expect(messages.map(({ metadata }) => metadata.get("mysql.key"))).toEqual(['["a"]', '["B"]', "[7]"]);
    await expect(source.receive()).rejects.toMatchObject({ code: "MQB_MYSQL_SNAPSHOT_END", kind: "end" });
    await source.close();
  });

  it("need a primary key of one column", async () => {
    await rows("CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b))");
    await expect(Capture.open(options())).rejects.toMatchObject({ code: "MQB_MYSQL_TABLE_KEY", kind: "config" });
  });
});
