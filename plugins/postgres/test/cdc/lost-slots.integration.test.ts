import { systemClock } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { eventually, fakeContext, recordingLogger, TempDir, within } from "@mqb/testkit";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { cdcSchema } from "../../src/cdc/config.ts";
import { parseLsn } from "../../src/cdc/server/lsn.ts";
import plugin from "../../src/index.ts";
import { Capture } from "./capture.ts";
import { dropSlots, freshLab, type Lab } from "./slots.ts";

let lab: Lab;
beforeEach(async () => {
  lab = await freshLab();
  await lab.sql("CREATE TABLE t (id int PRIMARY KEY, v text)");
});
afterEach(() => lab.drop());

const { input, pin } = plugin.endpoints!["postgres_cdc"]!;

type Options = Readonly<Record<string, unknown>>;

function config(more: Options = {}): Options {
  return { url: lab.url, publication: "p", slot_name: lab.slot, ...more };
}

const slots = () => lab.sql("SELECT slot_name FROM pg_replication_slots WHERE database = current_database()");
const beingMade = async (): Promise<boolean> =>
  (
    await lab.sql(
      `SELECT 1 FROM pg_replication_slots WHERE slot_name = '${lab.slot}' AND confirmed_flush_lsn IS NULL AND active`,
    )
  ).length > 0;

function contextOf(session = new Map<string, unknown>()) {
  return fakeContext({ log: recordingLogger(), clock: systemClock, plugins: [standard, plugin], session });
}

/** A transaction that has written something and is open. */
async function openTransaction(): Promise<pg.Client> {
  const client = new pg.Client(lab.url);
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("BEGIN; INSERT INTO t VALUES (1, 'open then')");
  return client;
}

describe("a slot that is still being made", () => {
  it("is none to read rows beside: what the transactions write that it waits for would be missed", async () => {
    await lab.sql("CREATE PUBLICATION p FOR TABLE t");
    const writer = await openTransaction();
    const context = contextOf();
    const opening = Promise.resolve(input!.open(cdcSchema.parse(config({ consume: "capture_all" })), context));
    const gaveUp = expect(opening).rejects.toThrow();
    await eventually(beingMade, "the slot");
    await eventually(() => context.log.text().includes("waits for the transactions"), "the warning");
    context.abort(new Error("too late"));
    await gaveUp;
    for (const consume of ["capture_all", "capture_new"])
      await expect(Capture.open(config({ consume }))).rejects.toMatchObject({
        code: "MQB_POSTGRES_SLOT_IN_USE",
        kind: "connection",
        message: expect.stringContaining("being made"),
      });
    await expect(pin!(cdcSchema.parse(config()), contextOf())).rejects.toMatchObject({
      code: "MQB_POSTGRES_SLOT_IN_USE",
    });
    await writer.query("COMMIT");
    await eventually(async () => !(await beingMade()), "the end of its making");
    const capture = await Capture.open(config({ consume: "capture_all" }));
    expect((await capture.take(1)).map((message) => message.text())).toEqual(['{"id":1,"v":"open then"}']);
    await capture.close();
  });

  it("lets a sequence stop at once", async () => {
    await lab.sql("CREATE PUBLICATION p FOR TABLE t");
    await openTransaction();
    const context = contextOf();
    const ended = Promise.resolve(pin!(cdcSchema.parse(config()), context)).then(
      () => "made",
      () => "given up",
    );
    await eventually(beingMade, "the slot");
    context.abort();
    expect(await within(ended, "the end", 2000)).toBe("given up");
  });
});

describe("a slot that somebody drops", () => {
  it("while the rows are read before its changes is not made anew", async () => {
    await lab.sql("CREATE PUBLICATION p FOR TABLE t; INSERT INTO t VALUES (1, 'a')");
    const capture = await Capture.open(config({ consume: "capture_all" }));
    const { commit } = await capture.receive();
    await dropSlots(lab.url);
    await lab.sql("INSERT INTO t VALUES (2, 'missed')");
    await commit();
    await expect(capture.receive()).rejects.toMatchObject({ code: "MQB_POSTGRES_SLOT_GONE", kind: "permanent" });
    expect(await slots()).toEqual([]);
    await capture.close();
  });

  it("while an earlier phase of a sequence runs is not made anew", async () => {
    await lab.sql("CREATE PUBLICATION p FOR TABLE t");
    const context = contextOf();
    for (let reconnects = 0; reconnects < 2; reconnects++) await pin!(cdcSchema.parse(config()), context);
    expect(await slots()).toEqual([[lab.slot]]);
    await dropSlots(lab.url);
    const gone = { code: "MQB_POSTGRES_SLOT_GONE", kind: "permanent" };
    await expect(pin!(cdcSchema.parse(config()), context)).rejects.toMatchObject(gone);
    await expect(Capture.open(config(), { session: context.session })).rejects.toMatchObject(gone);
    expect(await slots()).toEqual([]);
  });
});

it("a later phase of a sequence that reads rows only makes no slot", async () => {
  await lab.sql("CREATE PUBLICATION p FOR TABLE t");
  await pin!(cdcSchema.parse(config({ consume: "snapshot" })), contextOf());
  expect(await slots()).toEqual([]);
});

it("rows that are read again beside their slot have no position behind the changes that it brings", async () => {
  await lab.sql("CREATE PUBLICATION p FOR TABLE t");
  await (await Capture.open(config())).close();
  await lab.sql("INSERT INTO t VALUES (1, 'a')");
  await lab.sql("UPDATE t SET v = 'b'");
  const capture = await Capture.open(config({ consume: "capture_all" }));
  const messages = await capture.take(3);
  await capture.close();
  const positions = messages.map(({ metadata }) => parseLsn(metadata.get("postgres.lsn")!)!);
  expect(messages.map(({ metadata }) => metadata.get("postgres.snapshot"))).toEqual(["true", undefined, undefined]);
  expect(positions[0]! <= positions[1]!).toBe(true);
  expect(positions[1]! < positions[2]!).toBe(true);
});

describe("a position of another server, or of another history of this one,", () => {
  it("is left out where it is stored, and the slot's is taken", async () => {
    await using dir = await TempDir.make();
    await lab.sql("CREATE PUBLICATION p FOR TABLE t");
    await (await Capture.open(config())).close();
    await lab.sql("INSERT INTO t VALUES (1, 'a')");
    const key = `postgres_cdc:${lab.slot}`;
    const stored = (value: string) =>
      JSON.stringify({ mqb_checkpoint: 1, source: key, value, updated_at_ms: Date.now() });
    await dir.write("cp.json", JSON.stringify({ [key]: stored("FFFF/0"), [`${key}:server`]: stored("7/1") }));
    const kept = config({ checkpoint_store: `file://${dir.file("cp.json")}` });
    const capture = await Capture.open(kept);
    expect(await capture.take(1)).toHaveLength(1);
    expect(capture.log.text()).toContain("another server");
    await capture.close();
    const written = JSON.parse(await dir.read("cp.json")) as Record<string, string>;
    const [[system]] = (await lab.sql("SELECT system_identifier FROM pg_control_system()")) as [[string]];
    expect(JSON.parse(written[`${key}:server`]!)).toMatchObject({ value: `${system}/1` });
    const again = await Capture.open(kept, { draining: true });
    expect(await again.drain()).toEqual([]);
    expect(again.log.text()).not.toContain("another server");
    await again.close();
  });

  it("is forgotten over a reconnect", async () => {
    await lab.sql("CREATE PUBLICATION p FOR TABLE t");
    const first = await Capture.open(config());
    await lab.sql("INSERT INTO t VALUES (0, 'acked')");
    await first.take(1);
    await first.close();
    await lab.sql("INSERT INTO t VALUES (1, 'a')");
    // As a server leaves it that was ahead of the one that took over.
    const { session } = first;
    session.set("postgres_cdc server", "7/1");
    session.set("postgres_cdc acked", parseLsn("FFFF/0"));
    const second = await Capture.open(config(), { session });
    expect((await second.take(1)).map((message) => message.text())).toEqual(['{"id":1,"v":"a"}']);
    expect(second.log.text()).toContain("another server");
    await second.close();
  });
});

it("tables are added beside a partitioned one that is in the publication", async () => {
  await lab.sql(
    "CREATE TABLE parted (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF parted DEFAULT; CREATE PUBLICATION p FOR TABLE parted",
  );
  const capture = await Capture.open(config({ create_publication: true, publication_tables: ["parted", "t"] }));
  await capture.close();
  expect(await lab.sql("SELECT prrelid::regclass FROM pg_publication_rel ORDER BY 1::text")).toEqual([
    ["parted"],
    ["t"],
  ]);
});

it("a publication that is younger than the changes of the slot ends the route with what to do", async () => {
  await lab.sql(`SELECT pg_create_logical_replication_slot('${lab.slot}', 'pgoutput')`);
  await lab.sql("INSERT INTO t VALUES (1, 'a')");
  await lab.sql("CREATE PUBLICATION of_slot FOR TABLE t");
  const capture = await Capture.open(config({ publication: "of_slot" }));
  await expect(capture.receive()).rejects.toMatchObject({
    code: "MQB_POSTGRES_PUBLICATION_LATE",
    kind: "config",
    message: expect.stringContaining('"of_slot"'),
  });
  await capture.close();
});
