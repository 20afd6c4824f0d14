import { systemClock } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { fakeContext, recordingLogger, TempDir } from "@mqb/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkpointCdc } from "../../src/cdc/checkpoint.ts";
import { cdcSchema } from "../../src/cdc/config.ts";
import { probeCdc } from "../../src/cdc/probe.ts";
import { freshDatabase, freshName, SERVER, sql } from "../server.ts";
import { Capture } from "./capture.ts";
import { pin, withFiles } from "./fixture.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
let dir: TempDir;
const rows = (query: string) => sql(query, database.url);
beforeEach(async () => {
  database = await freshDatabase();
  dir = await TempDir.make();
  await rows("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
});
afterEach(async () => {
  await database.drop();
  await dir.remove();
});

const options = (more: Readonly<Record<string, unknown>> = {}) => ({
  url: database.url,
  cursor_id: "c",
  checkpoint_store: dir.file("state.json"),
  ...more,
});
const context = () => fakeContext({ clock: systemClock, plugins: [standard, withFiles] });
const checkpoint = () => checkpointCdc(cdcSchema.parse(options()), context())!;

describe("the position", () => {
  it("is where the log ended at the first start, and behind what was acked at the next ones", async () => {
    await rows("INSERT INTO t VALUES (1, 1)");
    await pin(options());
    await rows("INSERT INTO t VALUES (2, 2), (3, 3); INSERT INTO t VALUES (4, 4)");
    const first = await Capture.open(options());
    expect((await first.take(2, 2)).map((message) => message.text())).toEqual(['{"id":2,"v":2}', '{"id":3,"v":3}']);
    await first.close();
    const second = await Capture.open(options());
    expect((await second.take(1)).map((message) => message.text())).toEqual(['{"id":4,"v":4}']);
    await second.close();
    const third = await Capture.open(options(), { draining: true });
    expect(await third.drain()).toEqual([]);
    await third.close();
  });

  it("is never inside of a transaction: what was acked of one comes again in a new process, with the same ids", async () => {
    await pin(options());
    await rows("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)");
    const first = await Capture.open(options());
    const before = await first.take(1, 1);
    await first.close();
    const second = await Capture.open(options());
    const again = await second.take(3);
    expect(again.map((message) => message.text())).toEqual(['{"id":1,"v":1}', '{"id":2,"v":2}', '{"id":3,"v":3}']);
    expect(again[0]!.id).toBe(before[0]!.id);
    await second.close();
    // The process that knows how far it was goes on there.
    await rows("INSERT INTO t VALUES (4, 4), (5, 5)");
    const third = await Capture.open(options());
    await third.take(1, 1);
    await third.close();
    const fourth = await Capture.open(options(), { session: third.session });
    expect((await fourth.take(1)).map((message) => message.text())).toEqual(['{"id":5,"v":5}']);
    await fourth.close();
  });

  it("can be shown, set and forgotten, and is refused where the log has no such place", async () => {
    const position = checkpoint();
    expect(await position.read()).toBeUndefined();
    await pin(options());
    const { value } = (await position.read())!;
    expect(value).toMatch(/^binlog\.\d{6}:\d+$/);
    await rows("INSERT INTO t VALUES (1, 1)");
    const source = await Capture.open(options());
    await source.take(1);
    await source.close();
    expect((await position.read())!.value).not.toBe(value);
    await position.write(value);
    const again = await Capture.open(options());
    expect(await again.take(1)).toHaveLength(1);
    await again.close();
    for (const wrong of ["x", "binlog.000001", "other.000001:4", "binlog.999999:4"])
      await expect(position.write(wrong)).rejects.toMatchObject({ code: "MQB_MYSQL_CHECKPOINT" });
    await position.clear();
    expect(await position.read()).toBeUndefined();
    await position.close?.();
  });

  it("of another server, or of a log that is gone, ends the start with what to do", async () => {
    await pin(options());
    const store = await context().openStore(`file://${dir.file("state.json")}`);
    const put = async (value: string, server?: string) => {
      const entry = (text: string) =>
        Buffer.from(JSON.stringify({ mqb_checkpoint: 1, source: "mysql_cdc:c", value: text, updated_at_ms: 1 }));
      await store.putMany([{ key: "mysql_cdc:c", value: entry(value) }]);
      if (server !== undefined) await store.putMany([{ key: "mysql_cdc:c:server", value: entry(server) }]);
    };
    await put("binlog.999999:4");
    await expect(Capture.open(options())).rejects.toMatchObject({ code: "MQB_MYSQL_FOREIGN", kind: "config" });
    await put("other.000001:4");
    await expect(Capture.open(options())).rejects.toMatchObject({ code: "MQB_MYSQL_FOREIGN", kind: "config" });
    await put("binlog.000000:4");
    const error = await Capture.open(options()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "MQB_MYSQL_PURGED", kind: "config" });
    expect((error as { hint: string }).hint).toContain("mqb checkpoint reset");
    const [[file, byte] = []] = await sql("SHOW MASTER STATUS");
    await put(`${file}:${byte}`, "another one");
    await expect(Capture.open(options())).rejects.toMatchObject({ code: "MQB_MYSQL_FOREIGN", kind: "config" });
    // Not where an event begins: the server would wait there for ever.
    const [[identity] = []] = await rows("SELECT @@server_uid");
    await put(`${file}:${Number(byte) - 3}`, identity!);
    await expect(Capture.open(options())).rejects.toMatchObject({ code: "MQB_MYSQL_FOREIGN", kind: "config" });
    await expect(checkpoint().write(`${file}:${Number(byte) - 3}`)).rejects.toMatchObject({
      code: "MQB_MYSQL_CHECKPOINT",
    });
    await store.close();
  });

  it("moves with a server whose other tables change", async () => {
    await rows("CREATE TABLE other (id INT)");
    const source = await Capture.open(options({ tables: ["t"], heartbeat_ms: 100 }));
    const place = () => source.details()["confirmed_position"];
    const before = place();
    await rows("INSERT INTO other VALUES (1)");
    await expect.poll(place).not.toBe(before);
    const position = checkpoint();
    await expect.poll(async () => (await position.read())?.value).toBe(place());
    expect(source.details()["lag_bytes"]).toBeTypeOf("number");
    await position.close?.();
    await source.close();
  });
});

describe("a user without the rights", () => {
  it("is told which ones, and shown no password", async () => {
    const user = freshName("u");
    const name = new URL(database.url).pathname.slice(1);
    await sql(`CREATE USER ${user} IDENTIFIED BY 'secret-word'; GRANT SELECT ON ${name}.* TO ${user}`);
    const url = new URL(database.url);
    url.username = user;
    url.password = "secret-word";
    const log = recordingLogger();
    const failing = async () => {
      const error = (await Capture.open(options({ url: url.href })).catch((thrown: unknown) => thrown)) as Error;
      expect(error).toMatchObject({ code: "MQB_MYSQL_NO_RIGHT", kind: "config" });
      expect((error as { hint?: string }).hint).toContain("GRANT REPLICATION SLAVE");
      expect(`${error.message} ${JSON.stringify(log)}`).not.toContain("secret-word");
    };
    await failing();
    await sql(`GRANT BINLOG MONITOR ON *.* TO ${user}`);
    await failing();
    await sql(`GRANT REPLICATION SLAVE ON *.* TO ${user}`);
    const source = await Capture.open(options({ url: url.href }));
    await rows("INSERT INTO t VALUES (1, 1)");
    expect(await source.take(1)).toHaveLength(1);
    await source.close();
    await sql(`DROP USER ${user}`);
  });
});

it("a log is read over TLS as over plain text", async () => {
  await pin(options());
  await rows("INSERT INTO t SELECT seq, seq FROM seq_1_to_5000");
  const source = await Capture.open(options({ url: `${database.url}?ssl-mode=REQUIRED` }), { draining: true });
  expect(await source.drain()).toHaveLength(5000);
  await source.close();
});

it("a probe finds nothing wrong where nothing is, and names what is", async () => {
  const probe = (more: Readonly<Record<string, unknown>>) =>
    probeCdc(cdcSchema.parse(options(more)), { ...context(), signal: new AbortController().signal } as never);
  const found = await probe({ consume: "capture_all" });
  expect(found.map(({ check, ok }) => [check, ok])).toEqual([
    ["reachable", true],
    ["settings", true],
    ["rights", true],
    ["exists", true],
    ["keys", true],
  ]);
  expect((await probe({ tables: ["nothing"] })).at(-1)).toMatchObject({ check: "readable", ok: false });
  const away = new URL(SERVER);
  away.port = "1";
  expect(await probe({ url: away.href })).toMatchObject([{ check: "reachable", ok: false }]);
});

it("a transaction that is larger than what is held is handed out while it comes, and is one transaction for the position", async () => {
  await rows("CREATE TABLE big (id INT PRIMARY KEY, v VARCHAR(500))");
  await pin(options());
  await rows("INSERT INTO big SELECT seq, REPEAT('x', 500) FROM seq_1_to_40000");
  const first = await Capture.open(options());
  const before = first.details()["confirmed_position"];
  expect((await first.take(5000)).length).toBeGreaterThanOrEqual(5000);
  expect(first.details()["confirmed_position"]).toBe(before);
  await first.close();
  const second = await Capture.open(options(), { draining: true });
  expect((await second.drain()).map((message) => (message.json() as { id: number }).id)).toEqual(
    Array.from({ length: 40_000 }, (_, i) => i + 1),
  );
  await second.close();
});
