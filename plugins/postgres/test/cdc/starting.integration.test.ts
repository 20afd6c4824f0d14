import { createBridge, createRegistry } from "@mqb/core";
import type { Message } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import plugin from "../../src/index.ts";
import { freshName, sql } from "../server.ts";
import { Capture } from "./capture.ts";
import { dropSlots, freshLab, type Lab } from "./slots.ts";

let lab: Lab;
beforeEach(async () => {
  lab = await freshLab();
  await lab.sql("CREATE TABLE t (id int PRIMARY KEY, v text); CREATE TABLE two (a int, b int, PRIMARY KEY (a, b))");
});
afterEach(() => lab.drop());

type Options = Readonly<Record<string, unknown>>;

function config(more: Options = {}): Options {
  return { url: lab.url, publication: "p", slot_name: lab.slot, ...more };
}

function open(more: Options = {}): Promise<unknown> {
  return createBridge({ registry: createRegistry([standard, plugin]) })
    .openConsumer({ postgres_cdc: config(more) })
    .then((consumer) => consumer.close());
}

async function slots(): Promise<unknown> {
  return lab.sql("SELECT slot_name FROM pg_replication_slots WHERE database = current_database()");
}

describe("a start is refused with what to do about it, and makes nothing,", () => {
  it("without a slot that create_slot: false leaves to others", async () => {
    await lab.sql("CREATE PUBLICATION p FOR TABLE t");
    await expect(open({ slot_name: "gone", create_slot: false })).rejects.toMatchObject({
      code: "MQB_POSTGRES_NO_SLOT",
      kind: "config",
      message: expect.stringMatching(/slot_name "gone".*create_slot/),
    });
    expect(await slots()).toEqual([]);
  });

  it("with a temporary slot that it may not make again", async () => {
    await lab.sql("CREATE PUBLICATION p FOR TABLE t");
    await expect(open({ temporary_slot: true, create_slot: false })).rejects.toMatchObject({
      kind: "config",
      message: expect.stringMatching(/temporary_slot.*create_slot: false/),
    });
  });

  it("where consume: capture_all would page a table without a key of one column", async () => {
    await lab.sql("CREATE PUBLICATION p FOR TABLE two");
    await expect(open({ consume: "capture_all" })).rejects.toMatchObject({
      code: "MQB_POSTGRES_TABLE_KEY",
      kind: "config",
      message: expect.stringMatching(/public\.two.*a, b/),
      hint: expect.stringContaining("sequence"),
    });
    expect(await slots()).toEqual([]);
  });

  it("where the publication has no table to read first", async () => {
    await lab.sql("CREATE PUBLICATION p");
    await expect(open({ consume: "snapshot" })).rejects.toMatchObject({
      code: "MQB_POSTGRES_NO_TABLES",
      kind: "config",
    });
  });

  it("without the publication", async () => {
    await expect(open()).rejects.toMatchObject({ code: "MQB_POSTGRES_NO_PUBLICATION", kind: "config" });
    expect(await slots()).toEqual([]);
  });

  it("with a table to publish that is not there", async () => {
    await expect(open({ create_publication: true, publication_tables: ["t", "nothing"] })).rejects.toMatchObject({
      code: "MQB_POSTGRES_NO_TABLE",
      message: expect.stringContaining('"nothing"'),
    });
    expect(await lab.sql("SELECT pubname FROM pg_publication")).toEqual([]);
  });

  it("with a slot of another plugin, of another kind or of another database", async () => {
    await lab.sql("CREATE PUBLICATION p FOR TABLE t");
    await lab.sql(`SELECT pg_create_logical_replication_slot('${lab.slot}', 'test_decoding')`);
    await expect(open()).rejects.toMatchObject({
      code: "MQB_POSTGRES_SLOT_OTHER",
      kind: "config",
      message: expect.stringContaining("test_decoding"),
    });
    const physical = freshName("physical");
    await sql(`SELECT pg_create_physical_replication_slot('${physical}')`);
    await expect(open({ slot_name: physical })).rejects.toMatchObject({ code: "MQB_POSTGRES_SLOT_OTHER" });
    await sql(`SELECT pg_drop_replication_slot('${physical}')`);
    const other = await freshLab();
    await other.sql(`SELECT pg_create_logical_replication_slot('${other.slot}', 'pgoutput')`);
    await expect(open({ slot_name: other.slot })).rejects.toMatchObject({
      code: "MQB_POSTGRES_SLOT_OTHER",
      message: expect.stringContaining(new URL(other.url).pathname.slice(1)),
    });
    await other.drop();
  });

  it("with a slot that somebody else reads", async () => {
    await lab.sql("CREATE PUBLICATION p FOR TABLE t");
    const first = await Capture.open(config());
    await expect(open()).rejects.toMatchObject({ code: "MQB_POSTGRES_SLOT_IN_USE", kind: "connection" });
    await first.close();
    await open();
  });

  it("for a user that may not replicate", async () => {
    const user = freshName("user");
    await sql(`CREATE ROLE ${user} LOGIN PASSWORD 'x'`);
    await lab.sql(`CREATE PUBLICATION p FOR TABLE t; GRANT SELECT ON t TO ${user}`);
    const url = new URL(lab.url);
    url.username = user;
    url.password = "x";
    await expect(open({ url: url.href })).rejects.toMatchObject({
      code: "MQB_POSTGRES_NO_RIGHT",
      kind: "config",
      hint: expect.stringContaining("REPLICATION"),
    });
    await expect(open({ url: url.href, publication: "q", create_publication: true })).rejects.toMatchObject({
      code: "MQB_POSTGRES_NO_RIGHT",
    });
    await lab.sql(`REVOKE ALL ON t FROM ${user}; DROP ROLE ${user}`);
  });

  it("with a stored position of another server", async () => {
    await using dir = await TempDir.make();
    await lab.sql("CREATE PUBLICATION p FOR TABLE t");
    const stored = { mqb_checkpoint: 1, source: `postgres_cdc:${lab.slot}`, value: "FFFF/0", updated_at_ms: 1 };
    await dir.write("cp.json", JSON.stringify({ [`postgres_cdc:${lab.slot}`]: JSON.stringify(stored) }));
    await expect(open({ checkpoint_store: `file://${dir.file("cp.json")}` })).rejects.toMatchObject({
      code: "MQB_POSTGRES_CHECKPOINT",
      message: expect.stringContaining("another server"),
    });
  });

  it("with a stored position of another source", async () => {
    await using dir = await TempDir.make();
    await lab.sql("CREATE PUBLICATION p FOR TABLE t");
    const stored = { mqb_checkpoint: 1, source: "sqlx:orders:id", value: "int:3", updated_at_ms: 1 };
    await dir.write("cp.json", JSON.stringify({ [`postgres_cdc:${lab.slot}`]: JSON.stringify(stored) }));
    await expect(open({ checkpoint_store: `file://${dir.file("cp.json")}` })).rejects.toMatchObject({
      code: "MQB_POSTGRES_CHECKPOINT",
      message: expect.stringContaining("sqlx:orders:id"),
    });
  });
});

it("tables of which PostgreSQL will refuse updates are named once", async () => {
  await lab.sql("CREATE TABLE keyless (v text); CREATE PUBLICATION p FOR TABLE t, keyless");
  const capture = await Capture.open(config());
  expect(capture.log.text()).toContain("public.keyless");
  expect(capture.log.text()).not.toMatch(/public\.t\b/);
  await capture.close();
  const again = await Capture.open(config(), { session: capture.session });
  expect(again.log.text()).not.toContain("public.keyless");
  await again.close();
});

it("a slot is made before anything is read, and a restart goes on with it", async () => {
  await lab.sql("CREATE PUBLICATION p FOR TABLE t");
  await open();
  await lab.sql("INSERT INTO t VALUES (1, 'while nobody reads')");
  const capture = await Capture.open(config());
  expect((await capture.take(1)).map((message: Message) => message.text())).toEqual([
    '{"id":1,"v":"while nobody reads"}',
  ]);
  await capture.close();
});

it("a temporary slot is gone after an orderly end, and stays while something is left", async () => {
  await lab.sql("CREATE PUBLICATION p FOR TABLE t");
  const left = await Capture.open(config({ temporary_slot: true }));
  await lab.sql("INSERT INTO t VALUES (1, 'a')");
  await left.receive(1);
  await left.close();
  expect(await slots()).toEqual([[lab.slot]]);
  const taken = await Capture.open(config({ temporary_slot: true }));
  await taken.take(1);
  await taken.close();
  expect(await slots()).toEqual([]);
  expect(taken.log.text()).not.toContain("pg_drop_replication_slot");
});

describe("a slot that is gone", () => {
  it("ends a route that has read it, since changes were missed", async () => {
    await lab.sql("CREATE PUBLICATION p FOR TABLE t");
    const first = await Capture.open(config());
    await first.close();
    await dropSlots(lab.url);
    await expect(Capture.open(config(), { session: first.session })).rejects.toMatchObject({
      code: "MQB_POSTGRES_SLOT_GONE",
      kind: "permanent",
    });
  });

  it("lets capture_all read the tables again", async () => {
    await using dir = await TempDir.make();
    await lab.sql("CREATE PUBLICATION p FOR TABLE t; INSERT INTO t VALUES (1, 'a')");
    const kept = config({ consume: "capture_all", checkpoint_store: `file://${dir.file("cp.json")}` });
    const first = await Capture.open(kept, { draining: true });
    expect(await first.drain()).toHaveLength(1);
    await first.close();
    await dropSlots(lab.url);
    const second = await Capture.open(kept, { draining: true });
    expect(await second.drain()).toHaveLength(1);
    expect(second.log.text()).toContain("read again");
    await second.close();
  });
});
