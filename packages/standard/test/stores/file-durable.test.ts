import fsPromises, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { FakeClock, TempDir } from "@mqb/testkit";
import { afterEach, expect, it, vi } from "vitest";
import { openFile } from "../../src/stores/file/store.ts";

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** Writes down which paths are synced and what is renamed, in order. */
function watchCalls(failing?: string): string[] {
  const calls: string[] = [];
  const { open, rename } = fsPromises;
  vi.spyOn(fsPromises, "open").mockImplementation(async (path, ...rest) => {
    const handle: FileHandle = await open(path, ...rest);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      const name = String(path).endsWith(".tmp") ? "file" : "folder";
      if (name === failing) throw Object.assign(new Error("EIO: made to fail"), { code: "EIO" });
      await sync();
      calls.push(`sync ${name}`);
    };
    return handle;
  });
  vi.spyOn(fsPromises, "rename").mockImplementation(async (from, to) => {
    await rename(from, to);
    if (String(from).endsWith(".tmp")) calls.push("rename");
  });
  syncBuiltinESMExports();
  return calls;
}

const write = async (dir: TempDir) => {
  const store = await openFile(dir.file("s.json"), new FakeClock());
  return store.putMany([{ key: "a", value: Buffer.from("1") }]);
};

it.skipIf(process.platform === "win32")("a write is on the disk: file, then its name, then its folder", async () => {
  await using dir = await TempDir.make();
  const calls = watchCalls();
  await write(dir);
  expect(calls).toEqual(["sync file", "rename", "sync folder"]);
});

it.skipIf(process.platform === "win32").each(["file", "folder"])(
  "a write whose %s cannot be synced fails",
  async (what) => {
    await using dir = await TempDir.make();
    watchCalls(what);
    await expect(write(dir)).rejects.toMatchObject({ kind: "connection" });
  },
);
