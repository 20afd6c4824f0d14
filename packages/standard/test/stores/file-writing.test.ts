import { writeFileSync } from "node:fs";
import { readdir, rm, watch, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { FakeClock, isPending, TempDir, within } from "@mqb/testkit";
import { expect, it, vi } from "vitest";
import { openFile } from "../../src/stores/file/store.ts";

const open = (path: string) => openFile(path, new FakeClock(), { open: 20, write: 5_000 });
const text = (key: string, value: string) => ({ key, value: Buffer.from(value) });
const held = (holder: object) => JSON.stringify({ pid: process.pid, host: hostname(), token: "t", ...holder });
/** A pid that no process has: above the largest that Linux gives. */
const DEAD_PID = 2 ** 22 + 1;

it("writes concurrent calls together", async () => {
  await using dir = await TempDir.make();
  const store = await open(dir.file("s.json"));
  await store.putMany([text("first", "1")]);
  let replaced = 0;
  const watcher = new AbortController();
  const watching = (async () => {
    for await (const { filename } of watch(dir.path, { signal: watcher.signal })) if (filename === "s.json") replaced++;
  })().catch(() => {});
  await Promise.all(Array.from({ length: 200 }, (_, n) => store.putMany([text(`key ${n}`, "v")])));
  watcher.abort();
  await watching;
  expect(Object.keys(JSON.parse(await dir.read("s.json")) as object)).toHaveLength(201);
  expect(replaced).toBeLessThan(20);
});

it("sees what another handle has written, and loses none of it", async () => {
  await using dir = await TempDir.make();
  const one = await open(dir.file("s.json"));
  const two = await open(dir.file("s.json"));
  await one.putMany([text("a", "1")]);
  expect((await two.getMany(["a"]))[0]?.key).toBe("a");
  await two.putMany([text("b", "2")]);
  await one.putMany([text("c", "3")]);
  expect(JSON.parse(await dir.read("s.json"))).toEqual({ a: "1", b: "2", c: "3" });
});

it("leaves nothing beside the file", async () => {
  await using dir = await TempDir.make();
  const store = await open(dir.file("s.json"));
  await Promise.all([store.putMany([text("a", "1")]), store.deleteMany(["b"]), store.putMany([text("c", "1")])]);
  await store.close();
  expect(await readdir(dir.path)).toEqual(["s.json"]);
});

it("removes what killed writers have left, and nothing else", async () => {
  await using dir = await TempDir.make();
  await dir.write("s.json.4711.0123456789abcdef.tmp", "{");
  await dir.write("s.json.backup", "keep");
  await dir.write("other.json.4711.0123456789abcdef.tmp", "keep");
  await (await open(dir.file("s.json"))).putMany([text("a", "1")]);
  expect((await readdir(dir.path)).sort()).toEqual(["other.json.4711.0123456789abcdef.tmp", "s.json", "s.json.backup"]);
});

it.each([
  ["of a process that is gone", held({ pid: DEAD_PID })],
  ["of an earlier process with the pid of a living one", held({ started: "1" })],
])("takes over the lock %s", async (_, holder) => {
  await using dir = await TempDir.make();
  await dir.write("s.json.lock", holder);
  const store = await open(dir.file("s.json"));
  await store.putMany([text("a", "1")]);
  expect(await readdir(dir.path)).toEqual(["s.json"]);
});

it("lets one of many writers take an abandoned lock over", async () => {
  await using dir = await TempDir.make();
  const stores = await Promise.all(Array.from({ length: 5 }, () => open(dir.file("s.json"))));
  await dir.write("s.json.lock", held({ pid: DEAD_PID }));
  await Promise.all(stores.map((store, n) => store.putMany([text(String(n), "v")])));
  expect(Object.keys(JSON.parse(await dir.read("s.json")) as object)).toHaveLength(5);
});

it("does not take an abandoned lock for another one that has come in its place meanwhile", async () => {
  await using dir = await TempDir.make();
  const store = await openFile(dir.file("s.json"), new FakeClock(), { open: 20, write: 20 });
  const lock = await dir.write("s.json.lock", held({ pid: DEAD_PID }));
  const next = held({ token: "next" });
  vi.spyOn(process, "kill").mockImplementationOnce(() => {
    // Somebody else has found the abandoned lock, too, and was faster.
    writeFileSync(lock, next);
    throw Object.assign(new Error("no such process"), { code: "ESRCH" });
  });
  await expect(store.putMany([text("a", "1")])).rejects.toMatchObject({ code: "MQB_STANDARD_STORE_BUSY" });
  expect(await dir.read("s.json.lock")).toBe(next);
});

it("waits for a lock that is given back soon", async () => {
  await using dir = await TempDir.make();
  const store = await open(dir.file("s.json"));
  const lock = await dir.write("s.json.lock", held({}));
  const written = store.putMany([text("a", "1")]);
  expect(await isPending(written)).toBe(true);
  await rm(lock);
  await within(written, "the write goes on");
});

it.each([
  [held({}), new RegExp(`locked by process ${process.pid} on ${hostname()}`)],
  [held({ host: "elsewhere", pid: 5 }), /locked by process 5 on elsewhere/],
  ["not ours", /locked by an unknown process/],
])("refuses to open while the lock %s stays, and says who holds it", async (holder, message) => {
  await using dir = await TempDir.make();
  await dir.write("s.json.lock", holder);
  const opened = open(dir.file("s.json"));
  await expect(opened).rejects.toMatchObject({ code: "MQB_STANDARD_STORE_LOCKED", kind: "config" });
  await expect(opened).rejects.toThrow(message);
  expect(await dir.read("s.json.lock")).toBe(holder);
});

it("gives a write up as a connection error while the lock stays, and says who holds it", async () => {
  await using dir = await TempDir.make();
  const store = await openFile(dir.file("s.json"), new FakeClock(), { open: 20, write: 20 });
  await dir.write("s.json.lock", held({}));
  const written = store.putMany([text("a", "1")]);
  await expect(written).rejects.toMatchObject({ code: "MQB_STANDARD_STORE_BUSY", kind: "connection" });
  await expect(written).rejects.toThrow(`process ${process.pid}`);
});

it("reports a file that cannot be read or written as a connection error", async () => {
  await using dir = await TempDir.make();
  const failure = { code: "MQB_STANDARD_STORE_IO", kind: "connection" };
  await writeFile(dir.file("plain"), "");
  await expect(open(dir.file("plain", "s.json"))).rejects.toMatchObject(failure);
  const store = await open(dir.file("x", "s.json"));
  await writeFile(dir.file("x"), "");
  await expect(store.putMany([text("a", "1")])).rejects.toMatchObject(failure);
});
