import { setTimeout as pause } from "node:timers/promises";
import { createBridge, createRegistry } from "@mqb/core";
import standard from "@mqb/standard";
import { eventually, integer, randomFrom } from "@mqb/testkit";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { freshDatabase, sql } from "./server.ts";

/** How long the writers write; the long form is MQB_TEST_LATE_COMMITS_SECONDS=300. */
const SECONDS = Number(process.env["MQB_TEST_LATE_COMMITS_SECONDS"] ?? "12");
const WRITERS = 50;
const LONGEST_MS = 400;

let database: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  database = await freshDatabase();
  await sql(
    "CREATE TABLE late (id bigserial PRIMARY KEY, at timestamptz NOT NULL DEFAULT now()); CREATE INDEX ON late (at)",
    database.url,
  );
});
afterAll(() => database.drop());

/** Commits rows one after another, each after a while of its own. */
async function write(seed: number, until: AbortSignal): Promise<void> {
  const random = randomFrom(seed);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    while (!until.aborted) {
      await client.query("BEGIN");
      // A time is that of the begin: some think before they write.
      if (random() < 0.2) await pause(integer(random, 0, LONGEST_MS));
      await client.query("INSERT INTO late DEFAULT VALUES");
      await pause(integer(random, 0, LONGEST_MS));
      await client.query(random() < 0.05 ? "ROLLBACK" : "COMMIT");
    }
  } finally {
    await client.end();
  }
}

/** Reads along, and notes which rows it was given. */
class Reader {
  readonly ids = new Set<string>();
  readonly times = new Map<string, number>();
  private readonly stop = new AbortController();
  private readonly reading: Promise<void>;

  constructor(options: Readonly<Record<string, unknown>>) {
    this.reading = this.read({ url: database.url, table: "late", polling_interval_ms: 10, ...options });
  }

  async end(): Promise<void> {
    this.stop.abort();
    await this.reading;
  }

  private async read(options: Readonly<Record<string, unknown>>): Promise<void> {
    const bridge = createBridge({ registry: createRegistry([standard, plugin]) });
    const consumer = await bridge.openConsumer({ sqlx: options });
    while (!this.stop.signal.aborted) {
      const delivery = await consumer.receive(1000, this.stop.signal);
      for (const message of delivery.batch) {
        const [, id] = /"id":(\d+)/.exec(message.text())!;
        this.times.set(id!, (this.times.get(id!) ?? 0) + 1);
        this.ids.add(id!);
      }
      await delivery.commit();
    }
    await consumer.close();
  }
}

it(`rows that ${WRITERS} writers commit late are passed over by a plain cursor, and by none that is safe`, {
  timeout: (SECONDS + 60) * 1000,
}, async () => {
  const readers = {
    plain: new Reader({ cursor_column: "id" }),
    "plain, by time": new Reader({ cursor_column: "at" }),
    snapshot: new Reader({ cursor_column: "id", cursor_safety: "snapshot" }),
    "snapshot, by time": new Reader({ cursor_column: "at", cursor_safety: "snapshot" }),
    lag: new Reader({ cursor_column: "id", cursor_safety: "lag", cursor_lag_ms: 4 * LONGEST_MS }),
  };
  const until = AbortSignal.timeout(SECONDS * 1000);
  await Promise.all(Array.from({ length: WRITERS }, (_, seed) => write(seed, until)));
  const all = (await sql("SELECT id FROM late", database.url)).map(([id]) => id!);
  const isComplete = (reader: Reader) => all.every((id) => reader.ids.has(id));
  const { plain, "plain, by time": byTime, ...safe } = readers;
  const lost = (reader: Reader) => all.filter((id) => !reader.ids.has(id)).length;
  try {
    for (const [name, reader] of Object.entries(safe)) await eventually(() => isComplete(reader), name, 20_000);
  } finally {
    for (const reader of Object.values(readers)) await reader.end();
    process.stderr.write(
      `${all.length} rows; lost by ${Object.entries(readers)
        .map(([name, reader]) => `${name}: ${lost(reader)}`)
        .join(", ")}\n`,
    );
  }
  expect(lost(plain)).toBeGreaterThan(0);
  expect(lost(byTime)).toBeGreaterThan(0);
  for (const reader of Object.values(safe)) {
    expect(lost(reader)).toBe(0);
    expect(reader.ids.size).toBe(all.length);
    expect(Math.max(...reader.times.values())).toBe(1);
  }
});

it("a drain waits for the transactions that were open, and not for those that come later", async () => {
  await sql("CREATE TABLE drained (id bigserial PRIMARY KEY); INSERT INTO drained DEFAULT VALUES", database.url);
  const early = new pg.Client({ connectionString: database.url });
  await early.connect();
  await early.query("BEGIN; INSERT INTO drained DEFAULT VALUES");
  await sql("INSERT INTO drained DEFAULT VALUES", database.url);
  const bridge = createBridge({ registry: createRegistry([standard, plugin]) });
  const route = bridge.route("r", {
    exit_on_empty: true,
    input: { sqlx: { url: database.url, table: "drained", cursor_column: "id", cursor_safety: "snapshot" } },
    output: { memory: { topic: "out", capacity: 10 } },
  });
  await route.start();
  const waits = () => route.status().input?.details?.["waits_for_transactions"] === true;
  await eventually(waits, "the wait for the open transaction");
  expect(route.status().accounting.received).toBe(0);
  await early.query("COMMIT");
  await early.end();
  expect(await route.done).toMatchObject({ outcome: "completed" });
  expect(route.status().accounting.received).toBe(3);
});

it("a drain goes on waiting for a transaction that is prepared meanwhile", async ({ skip }) => {
  const [[most] = []] = await sql("SHOW max_prepared_transactions", database.url);
  skip(most === "0", "the server prepares no transactions: max_prepared_transactions is 0");
  await sql("CREATE TABLE prepared (at timestamptz PRIMARY KEY DEFAULT clock_timestamp())", database.url);
  const early = new pg.Client({ connectionString: database.url });
  await early.connect();
  await early.query("BEGIN; INSERT INTO prepared DEFAULT VALUES");
  await sql("INSERT INTO prepared DEFAULT VALUES", database.url);
  const bridge = createBridge({ registry: createRegistry([standard, plugin]) });
  const route = bridge.route("r", {
    exit_on_empty: true,
    input: { sqlx: { url: database.url, table: "prepared", cursor_column: "at", cursor_safety: "snapshot" } },
    output: { memory: { topic: "prepared", capacity: 10 } },
  });
  await route.start();
  const waits = () => route.status().input?.details?.["waits_for_transactions"] === true;
  await eventually(waits, "the wait for the open transaction");
  await early.query("PREPARE TRANSACTION 'mqb_test'");
  await early.end();
  // Several looks at the open transactions later.
  await pause(1000);
  expect(waits()).toBe(true);
  await sql("COMMIT PREPARED 'mqb_test'", database.url);
  expect(await route.done).toMatchObject({ outcome: "completed" });
  expect(route.status().accounting.received).toBe(2);
});

it("a sequence that gives each session several numbers at once is refused, for its numbers come in no order", async () => {
  await sql(
    "CREATE SEQUENCE cached CACHE 10; CREATE TABLE c (id bigint PRIMARY KEY DEFAULT nextval('cached'))",
    database.url,
  );
  const bridge = createBridge({ registry: createRegistry([standard, plugin]) });
  const opening = bridge.openConsumer({
    sqlx: { url: database.url, table: "c", cursor_column: "id", cursor_safety: "snapshot" },
  });
  await expect(opening).rejects.toThrow(/10 numbers at once/);
});
