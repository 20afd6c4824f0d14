import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { Message } from "@mqb/core/plugin";
import { FakeScope, isPending, TempDir, texts } from "@mqb/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errors, inspectFolder, isDamaged, repairFolder } from "../src/index.ts";
import { openFolder } from "../src/log/open.ts";
import { NEVER, type Opened, open } from "./opened.ts";

let dir: TempDir;
beforeEach(async () => {
  dir = await TempDir.make();
});
afterEach(() => dir.remove());

const folder = () => dir.file("keys");
const onDisk = (config = {}, overrides = {}): Promise<Opened> =>
  open({ store: `file://${folder()}`, ...config }, { scope: new FakeScope(), ...overrides });
const files = () => readdirSync(folder()).filter((name) => name.endsWith(".log"));
const first = () => `${folder()}/keys-0000000001.log`;

/** Sends payloads through a route of its own; returns those that passed. */
async function pass(payloads: readonly string[], config = {}, overrides = {}): Promise<string[]> {
  const { source, consumer, context } = await onDisk(config, overrides);
  source.push(payloads.map((payload) => new Message(payload)));
  const { batch, commit } = await consumer.receive(10_000, NEVER);
  await commit();
  await consumer.close();
  expect(context.clock.pending).toBe(0);
  return texts(batch);
}

describe("keys on disk", () => {
  it("are known after a restart, for their time", async () => {
    const { source, consumer, context } = await onDisk();
    source.push([new Message("a"), new Message("b")]);
    await (await consumer.receive(10, NEVER)).commit();
    await consumer.close();
    expect(await pass(["b", "c", "a"])).toEqual(["c"]);
    const later = context.clock;
    await later.advance(60_000);
    expect(await pass(["a", "b", "c"], {}, { clock: later })).toEqual(["a", "b", "c"]);
  });

  it.each([
    ["a path", () => folder()],
    ["sled:", () => `sled://${folder()}`],
    ["sled: with durable", () => `sled://${folder()}?durable=true`],
    ["file: with one slash", () => `file:${folder()}`],
  ])("may be named by %s", async (_, store) => {
    expect(await pass(["a"], { store: store() })).toEqual(["a"]);
    expect(await pass(["a"])).toEqual([]);
  });

  it("may be named by sled_path, relative to the configuration", async () => {
    const config = { store: undefined, sled_path: "keys" };
    expect(await pass(["a"], config, { baseDir: dir.path })).toEqual(["a"]);
    expect(await pass(["a"])).toEqual([]);
  });

  it("are stored before the source is told, and only when their messages were accepted", async () => {
    const { source, consumer } = await onDisk();
    source.push([new Message("a"), new Message("b")]);
    const { commit } = await consumer.receive(10, NEVER);
    expect(files()).toEqual([]);
    source.holdCommits();
    const committing = commit([{ type: "ack" }, { type: "nack" }]);
    await source.deliveries[0]!.committed;
    expect(statSync(first()).size).toBe(64 + 16 + 24);
    expect(await isPending(committing)).toBe(true);
    source.releaseCommits();
    await committing;
    await consumer.close();
    expect(await pass(["a", "b"])).toEqual(["b"]);
  });

  it("are written on in the same file", async () => {
    await pass(["a"]);
    await pass(["b"]);
    expect(files()).toEqual(["keys-0000000001.log"]);
    expect(await pass(["a", "b"])).toEqual([]);
  });

  it("of several routes of one bridge are shared", async () => {
    const scope = new FakeScope();
    const one = await onDisk({}, { scope, route: "one" });
    const two = await onDisk({}, { scope, route: "two" });
    for (const { source } of [one, two]) source.push([new Message("a")]);
    await (await one.consumer.receive(10, NEVER)).commit();
    expect((await two.consumer.receive(10, NEVER)).emptied).toBe(true);
    await one.consumer.close();
    two.source.push([new Message("b")]);
    expect(texts((await two.consumer.receive(10, NEVER)).batch)).toEqual(["b"]);
    await two.consumer.close();
  });

  it("cannot be used by two processes at once", async () => {
    const { consumer, context } = await onDisk();
    const impatient = { clock: context.clock, log: context.log, readOnly: false, lockWaitMs: 0 };
    await expect(openFolder(folder(), impatient)).rejects.toMatchObject({
      code: errors.LOCKED.code,
      kind: "config",
      message: expect.stringContaining(`process ${process.pid}`),
    });
    await consumer.close();
    expect(await pass(["a"])).toEqual(["a"]);
  });

  it("that were stored while the source was closed are known, and the source learns nothing", async () => {
    const { source, consumer } = await onDisk();
    source.push([new Message("a")]);
    const { commit } = await consumer.receive(10, NEVER);
    const refused = expect(commit()).rejects.toMatchObject({ code: errors.CLOSED.code });
    await consumer.close();
    await refused;
    expect(source.commits).toHaveLength(0);
    expect(await pass(["a"])).toEqual([]);
  });

  it("that cannot be stored make the commit fail, and are free again", async () => {
    const { source, consumer } = await onDisk();
    source.push([new Message("a")]).push([new Message("a")]);
    const { commit } = await consumer.receive(10, NEVER);
    await rename(folder(), dir.file("gone"));
    await expect(commit()).rejects.toMatchObject({ code: errors.IO.code, kind: "connection" });
    expect(source.commits).toHaveLength(0);
    expect(texts((await consumer.receive(10, NEVER)).batch)).toEqual(["a"]);
    await rename(dir.file("gone"), folder());
    await consumer.close();
  });

  it("in a dry run are read, and nothing is written", async () => {
    await pass(["a"]);
    const before = readFileSync(first());
    const dryRun = () => {
      const scope = new FakeScope();
      scope.local("mqb:dry-run", () => true);
      return { scope };
    };
    expect(await pass(["a", "b"], {}, dryRun())).toEqual(["b"]);
    expect(readFileSync(first()).equals(before)).toBe(true);
    expect(await pass(["x"], { store: dir.file("never") }, dryRun())).toEqual(["x"]);
    expect(readdirSync(dir.path)).toEqual(["keys"]);
  });
});

describe("a folder that cannot be used", () => {
  it("is one with a sled database, or with something else", async () => {
    await mkdir(folder());
    writeFileSync(`${folder()}/notes.txt`, "mine");
    await expect(onDisk()).rejects.toMatchObject({
      code: errors.FOREIGN.code,
      message: expect.stringContaining("notes.txt"),
    });
    writeFileSync(`${folder()}/conf`, "");
    await expect(onDisk()).rejects.toMatchObject({
      code: errors.FOREIGN.code,
      hint: expect.stringContaining("sled database of mq-bridge"),
    });
    expect(readdirSync(folder()).sort()).toEqual(["conf", "notes.txt"]);
  });

  it("is a file", async () => {
    writeFileSync(folder(), "");
    await expect(onDisk()).rejects.toMatchObject({ code: errors.NOT_A_FOLDER.code, kind: "config" });
  });

  it("is one with files of two stores", async () => {
    await pass(["a"]);
    await pass(["a"], { store: dir.file("other") });
    await rename(dir.file("other/keys-0000000001.log"), `${folder()}/keys-0000000002.log`);
    await expect(onDisk()).rejects.toMatchObject({ code: errors.SEEDS.code });
  });

  it("is one of a newer version", async () => {
    await pass(["a"]);
    const { crc32 } = await import("node:zlib");
    const bytes = readFileSync(first());
    bytes.writeUInt32LE(2, 8);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
    writeFileSync(first(), bytes);
    await expect(onDisk()).rejects.toMatchObject({ code: errors.VERSION.code });
  });
});

describe("a write that did not finish", () => {
  it("is left out with one line that names file and place, at every length", async () => {
    await pass(["a"]);
    await pass(["b"]);
    const whole = readFileSync(first());
    for (let cut = 1; cut < 40; cut++) {
      writeFileSync(first(), whole.subarray(0, whole.length - cut));
      const { consumer, context } = await onDisk();
      await consumer.close();
      expect(context.log.at("warn")).toEqual([
        expect.stringMatching(/keys-0000000001\.log ends at byte 104 in a write of \d+ bytes/),
      ]);
    }
    expect(await pass(["a", "b"])).toEqual(["b"]);
    expect(await pass(["a", "b"])).toEqual([]);
    const reports = (await inspectFolder(folder(), 0))!;
    expect(reports.map(({ unfinished }) => unfinished?.from)).toEqual([104, undefined]);
    expect(reports.some(isDamaged)).toBe(false);
  });

  it("may be that of a whole new file", async () => {
    await pass(["a"]);
    for (const size of [0, 8, 63]) {
      writeFileSync(`${folder()}/keys-0000000002.log`, Buffer.alloc(size));
      expect((await inspectFolder(folder(), 0))!.some(isDamaged)).toBe(false);
      expect(await pass(["a"])).toEqual([]);
      expect(files()).toEqual(["keys-0000000001.log"]);
    }
  });
});

describe("damage", () => {
  /** Three writes, with the one in the middle spoilt. */
  async function spoil(): Promise<Buffer> {
    for (const payload of ["a", "b", "c"]) await pass([payload]);
    const bytes = readFileSync(first());
    bytes[64 + 40 + 20]! ^= 1;
    writeFileSync(first(), bytes);
    return bytes;
  }

  it("is told, and everything else is known", async () => {
    await spoil();
    const { consumer, context } = await onDisk();
    await consumer.close();
    expect(context.log.at("warn")).toEqual([
      expect.stringMatching(/keys-0000000001\.log is damaged from byte 104 to 144.*mqb state repair/),
    ]);
    expect(await pass(["a", "b", "c"])).toEqual(["b"]);
  });

  it("is found by a check, taken out by a repair, and kept beside", async () => {
    const bytes = await spoil();
    const [report] = (await inspectFolder(folder(), 0))!;
    expect([isDamaged(report!), report!.damaged, report!.keys]).toEqual([true, [{ from: 104, to: 144 }], 2]);
    const repaired = await repairFolder(folder());
    expect(repaired).toEqual([{ file: first(), kept: `${first()}.damaged`, lost: 40, bytes: bytes.length - 40 }]);
    expect(readFileSync(`${first()}.damaged`).equals(bytes)).toBe(true);
    expect((await inspectFolder(folder(), 0))!.some(isDamaged)).toBe(false);
    expect(await repairFolder(folder())).toEqual([]);
    expect(await pass(["a", "b", "c"])).toEqual(["b"]);
  });

  it("of the beginning of a file is mended with what the others say", async () => {
    await pass(["a"]);
    await pass(["b"]);
    truncateSync(first(), statSync(first()).size - 1);
    await pass(["c"]);
    const second = `${folder()}/keys-0000000002.log`;
    const bytes = readFileSync(second);
    bytes.fill(0, 0, 64);
    writeFileSync(second, bytes);
    expect((await inspectFolder(folder(), 0))!.map((one) => one.headless)).toEqual([false, true]);
    expect(await pass(["a"]), "it starts").toEqual([]);
    const repaired = await repairFolder(folder());
    expect(repaired.map(({ lost }) => lost)).toEqual([39, 0]);
    expect(await pass(["a", "b", "c"])).toEqual(["b"]);
  });

  it("of everything takes the file away, and it is still there", async () => {
    await pass(["a"]);
    writeFileSync(first(), Buffer.alloc(500, "x"));
    const [repaired] = await repairFolder(folder());
    expect([repaired!.lost, repaired!.bytes]).toEqual([500, 0]);
    expect(readdirSync(folder())).toEqual(["keys-0000000001.log.damaged"]);
    expect(await pass(["a"])).toEqual(["a"]);
  });

  it("is not repaired under a running route", async () => {
    const { consumer, source } = await onDisk();
    source.push([new Message("a")]);
    await (await consumer.receive(1, NEVER)).commit();
    await expect(repairFolder(folder(), 0)).rejects.toMatchObject({ code: errors.LOCKED.code });
    await consumer.close();
  });

  it("at any byte of any file is never taken for keys", async () => {
    for (const payload of ["a", "b", "c"]) await pass([payload]);
    const whole = readFileSync(first());
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 0x55;
      writeFileSync(first(), bytes);
      const [report] = (await inspectFolder(folder(), 0)) ?? [];
      expect(report!.keys + report!.damaged.length + (report!.unfinished ? 1 : 0), `byte ${at}`).toBe(3);
    }
  });
});

describe("what has expired", () => {
  it("goes with its file at the next start", async () => {
    const { context } = await onDisk().then(async (opened) => {
      await opened.consumer.close();
      return opened;
    });
    const { clock } = context;
    await pass(["a"], { ttl_seconds: 1 }, { clock });
    appendFileSync(first(), "half a write");
    await pass(["b"], { ttl_seconds: 60 }, { clock });
    expect(files()).toHaveLength(2);
    await clock.advance(10_000);
    expect(await pass(["b"], {}, { clock })).toEqual([]);
    expect(files()).toEqual(["keys-0000000002.log"]);
  });

  it("is left out when what remains is written anew", async () => {
    const old = Array.from({ length: 50_000 }, (_, n) => `old ${n}`);
    const { context, consumer, source } = await onDisk({ ttl_seconds: 1 });
    source.push(old.map((payload) => new Message(payload)));
    await (await consumer.receive(old.length, NEVER)).commit();
    await consumer.close();
    const { clock } = context;
    await pass(["a", "b"], {}, { clock });
    await clock.advance(10_000);
    expect(await pass(["a", "old 1"], {}, { clock })).toEqual(["old 1"]);
    expect(files()).toEqual(["keys-0000000002.log"]);
    expect(statSync(`${folder()}/keys-0000000002.log`).size).toBeLessThan(300);
  });
});
