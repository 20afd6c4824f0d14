import type { Message } from "@mqb/core/plugin";
import { TempDir } from "@mqb/testkit";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { freshName } from "../server.ts";
import { Capture } from "./capture.ts";
import { freshLab, type Lab } from "./slots.ts";

let lab: Lab;
beforeEach(async () => {
  lab = await freshLab();
  await lab.sql("CREATE TABLE a (id int PRIMARY KEY, v int); CREATE TABLE b (name text PRIMARY KEY, v int)");
  await lab.sql("CREATE PUBLICATION p FOR TABLE a, b");
});
afterEach(() => lab.drop());

function config(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    url: lab.url,
    publication: "p",
    slot_name: lab.slot,
    consume: "capture_all",
    status_interval_ms: 500,
    ...more,
  };
}

/** What somebody has who applies every change in its order, and how often each row was inserted while it was there. */
class Replica {
  readonly rows = new Map<string, string>();
  doubled = 0;
  changes = 0;

  apply(message: Message): void {
    const { metadata } = message;
    this.changes++;
    const key = `${metadata.get("postgres.table")}${metadata.get("postgres.key")}`;
    const operation = metadata.get("postgres.operation");
    if (operation === "insert" && this.rows.has(key)) this.doubled++;
    if (operation === "delete") this.rows.delete(key);
    else this.rows.set(key, message.text());
  }
}

async function truth(): Promise<Map<string, string>> {
  const rows = await lab.sql(
    "SELECT 'a[' || id || ']', '{\"id\":' || id || ',\"v\":' || v || '}' FROM a UNION ALL SELECT 'b[' || to_json(name) || ']', '{\"name\":' || to_json(name) || ',\"v\":' || v || '}' FROM b",
  );
  return new Map(rows.map(([key, text]) => [key!, text!]));
}

/** Inserts, updates and deletes at random, each in a transaction of its own, until it is told to stop. */
async function writer(seed: number, stopped: () => boolean): Promise<void> {
  const client = new pg.Client(lab.url);
  client.on("error", () => {});
  await client.connect();
  for (let n = 0; !stopped(); n++) {
    const id = 1 + ((seed * 7919 + n * 104_729) % 6000);
    await client.query(
      [
        `INSERT INTO a VALUES (${id}, ${n}) ON CONFLICT (id) DO UPDATE SET v = a.v + 1`,
        `DELETE FROM a WHERE id = ${id}`,
        `INSERT INTO b VALUES ('é${id}', ${n}) ON CONFLICT (name) DO UPDATE SET v = b.v + 1`,
        `UPDATE a SET v = v + 1 WHERE id BETWEEN ${id} AND ${id + 5}`,
      ][n % 4]!,
    );
  }
  await client.end();
}

async function fill(): Promise<void> {
  await lab.sql(
    "INSERT INTO a SELECT n, 0 FROM generate_series(1, 5000) n; INSERT INTO b SELECT 'é' || n, 0 FROM generate_series(1, 3000) n",
  );
}

async function applyAll(capture: Capture, replica: Replica, limit = Number.POSITIVE_INFINITY): Promise<void> {
  for (let count = 0; count < limit; ) {
    const { batch, commit } = await capture.receive(200);
    if (batch.length === 0) return;
    for (const message of batch) replica.apply(message);
    count += batch.length;
    await commit();
  }
}

describe("rows that are read while others write", () => {
  it("and the changes behind them give each row once, in its last state, without a gap", async () => {
    await fill();
    let over = false;
    const writers = [1, 2, 3].map((seed) => writer(seed, () => over));
    onTestFinished(() => void (over = true));
    const replica = new Replica();
    const capture = await Capture.open(config());
    await applyAll(capture, replica, 12_000);
    over = true;
    await Promise.all(writers);
    await capture.close();
    const rest = await Capture.open(config({ consume: "capture_new" }), { session: capture.session, draining: true });
    await applyAll(rest, replica);
    await rest.close();
    expect(replica.rows).toEqual(await truth());
    expect(replica.doubled).toBe(0);
    expect(replica.changes).toBeGreaterThan(12_000);
  });

  it("converge also when the reading is ended and goes on in another process, in every phase", async () => {
    await using dir = await TempDir.make();
    const kept = config({ checkpoint_store: `file://${dir.file("cp.json")}` });
    await fill();
    let over = false;
    const writers = [4, 5].map((seed) => writer(seed, () => over));
    onTestFinished(() => void (over = true));
    const replica = new Replica();
    let rows = 0;
    for (const limit of [1200, 3000, 2500, 1000, 600]) {
      const capture = await Capture.open(kept);
      await applyAll(capture, replica, limit);
      rows += Number(capture.details()["rows"] ?? 0) > 0 ? 1 : 0;
      // What was handed out and not acked is anybody's.
      await capture.receive(50);
      await capture.close();
    }
    over = true;
    await Promise.all(writers);
    const capture = await Capture.open(kept, { draining: true });
    await applyAll(capture, replica);
    expect(capture.details()["mode"]).toBe("stream");
    await capture.close();
    expect(replica.rows).toEqual(await truth());
    expect(rows).toBeGreaterThan(1);
  });
});

it("rows of a snapshot are the rows, with the table and key of each; no slot is made", async () => {
  await lab.sql("INSERT INTO a VALUES (1, 10), (2, 20); INSERT INTO b VALUES (E'x\\ty\\\\z', 30)");
  const capture = await Capture.open(config({ consume: "snapshot" }), { draining: true });
  const messages = await capture.drain();
  await capture.close();
  expect(
    messages.map((message) => [
      message.metadata.get("postgres.table"),
      message.metadata.get("postgres.key"),
      message.text(),
    ]),
  ).toEqual([
    ["a", "[1]", '{"id":1,"v":10}'],
    ["a", "[2]", '{"id":2,"v":20}'],
    ["b", String.raw`["x\ty\\z"]`, String.raw`{"name":"x\ty\\z","v":30}`],
  ]);
  expect(messages[0]!.metadata.get("postgres.snapshot")).toBe("true");
  expect(await lab.sql("SELECT 1 FROM pg_replication_slots WHERE database = current_database()")).toEqual([]);
});

it("a publication's lists of columns and conditions hold for the rows too", async () => {
  await lab.sql(
    "CREATE TABLE c (id int PRIMARY KEY, shown text, hidden text); INSERT INTO c VALUES (1, 'a', 'x'), (2, 'b', 'y'); CREATE PUBLICATION few FOR TABLE c (id, shown) WHERE (id > 1)",
  );
  const capture = await Capture.open(config({ consume: "snapshot", publication: "few" }), { draining: true });
  expect((await capture.drain()).map((message) => message.text())).toEqual(['{"id":2,"shown":"b"}']);
  await capture.close();
});

it("rows come once, under the table whose changes they would be: of tables that inherit, and of partitions", async () => {
  await lab.sql(
    "CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE child (PRIMARY KEY (id)) INHERITS (parent); INSERT INTO parent VALUES (1); INSERT INTO child VALUES (2)",
  );
  await lab.sql(
    "CREATE TABLE whole (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF whole FOR VALUES FROM (0) TO (9); INSERT INTO whole VALUES (3)",
  );
  await lab.sql(
    "CREATE PUBLICATION leaves FOR TABLE parent, whole; CREATE PUBLICATION root FOR TABLE parent, whole WITH (publish_via_partition_root)",
  );
  for (const [publication, table] of [
    ["leaves", "part"],
    ["root", "whole"],
  ]) {
    const capture = await Capture.open(config({ consume: "snapshot", publication }), { draining: true });
    const read = (await capture.drain()).map(
      (message) => `${message.metadata.get("postgres.table")} ${message.text()}`,
    );
    await capture.close();
    expect(read).toEqual(['child {"id":2}', 'parent {"id":1}', `${table} {"id":3}`].sort());
  }
});

it("a table whose policies hide rows from the user is named, and none of it is left out without a word", async () => {
  const user = freshName("user");
  await lab.sql(`CREATE ROLE ${user} LOGIN REPLICATION PASSWORD 'x'`);
  await lab.sql(
    `INSERT INTO a VALUES (1, 1), (2, 2); ALTER TABLE a ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON a USING (id = 1); GRANT SELECT ON a, b TO ${user}`,
  );
  const url = new URL(lab.url);
  url.username = user;
  url.password = "x";
  const own = config({ url: url.href, consume: "snapshot" });
  const refused = await Capture.open(own, { draining: true });
  await expect(refused.drain()).rejects.toMatchObject({
    code: "MQB_POSTGRES_NO_RIGHT",
    kind: "config",
    message: expect.stringContaining('"a"'),
    hint: expect.stringContaining("BYPASSRLS"),
  });
  await refused.close();
  await lab.sql(`ALTER ROLE ${user} BYPASSRLS`);
  const capture = await Capture.open(own, { draining: true });
  expect(await capture.drain()).toHaveLength(2);
  await capture.close();
  await lab.sql(`REVOKE ALL ON a, b FROM ${user}; DROP ROLE ${user}`);
});
