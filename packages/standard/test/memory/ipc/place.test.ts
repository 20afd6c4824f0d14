import { once } from "node:events";
import { chmod, mkdir, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { codeOf, describeError } from "@mqb/core/plugin";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { IpcAddress } from "../../../src/memory/ipc/address.ts";
import { placeToConnect, placeToListen, type Surroundings } from "../../../src/memory/ipc/place.ts";

const named: IpcAddress = { url: "ipc://jobs", kind: "name", name: "jobs" };
const mode = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

/** A file in the place of `/run`, so that no folder can be made there, also by root. */
async function around(dir: TempDir, changes: Partial<Surroundings> = {}): Promise<Surroundings> {
  await dir.write("run", "");
  await dir.write("tmp-is-a-file", "");
  await mkdir(dir.file("tmp"));
  return { run: dir.file("run"), runtimeDir: undefined, tmp: dir.file("tmp"), user: process.getuid!(), ...changes };
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function listenAt(path: string) {
  const server = createServer().listen(path);
  await once(server, "listening");
  return { [Symbol.dispose]: () => void server.close() };
}

describe("the socket of a name", () => {
  it("lies in /run/mq-bridge, else in the user's runtime folder, else in /tmp", async () => {
    await using dir = await TempDir.make();
    const base = await around(dir);
    await mkdir(dir.file("good-run"));
    await mkdir(dir.file("user"));
    const place = (changes: Partial<Surroundings>) => placeToListen(named, { ...base, ...changes });
    expect(await place({ run: dir.file("good-run") })).toBe(dir.file("good-run", "mq-bridge", "jobs.sock"));
    expect(await place({ runtimeDir: dir.file("user") })).toBe(dir.file("user", "mq-bridge", "jobs.sock"));
    expect(await place({})).toBe(dir.file("tmp", "mq-bridge", "jobs.sock"));
    expect(await place({ runtimeDir: "relative" })).toBe(dir.file("tmp", "mq-bridge", "jobs.sock"));
  });

  it("lies in a folder that is made for its owner alone; one that is there keeps its rights", async () => {
    await using dir = await TempDir.make();
    const surroundings = await around(dir);
    await chmod(dir.file("tmp"), 0o755);
    await placeToListen(named, surroundings);
    expect(await mode(dir.file("tmp", "mq-bridge"))).toBe("700");
    expect(await mode(dir.file("tmp"))).toBe("755");
    await chmod(dir.file("tmp", "mq-bridge"), 0o750);
    await placeToListen(named, surroundings);
    expect(await mode(dir.file("tmp", "mq-bridge"))).toBe("750");
  });

  it("is not put into a folder of another user, and not looked for there", async () => {
    await using dir = await TempDir.make();
    const surroundings = await around(dir);
    await mkdir(dir.file("tmp", "mq-bridge"));
    const path = dir.file("tmp", "mq-bridge", "jobs.sock");
    using _ = await listenAt(path);
    // Its owner is another one than we are, and not root: for that the test's own user must not be root either.
    const owner = (await stat(dir.file("tmp", "mq-bridge"))).uid;
    const stranger = { ...surroundings, user: owner + 1 };
    if (owner === 0) {
      expect(await placeToConnect(named, stranger)).toBe(path);
      return;
    }
    const listening = await rejection(placeToListen(named, stranger));
    expect(codeOf(listening)).toBe("MQB_STANDARD_IPC_NO_FOLDER");
    expect(describeError(listening)).toContain(`belongs to another user (${owner})`);
    const connecting = await rejection(placeToConnect(named, stranger));
    expect(codeOf(connecting)).toBe("MQB_STANDARD_IPC_FOREIGN");
    expect(describeError(connecting)).toContain(path);
  });

  it("has no place: all that were tried are named", async () => {
    await using dir = await TempDir.make();
    const error = await rejection(placeToListen(named, await around(dir, { tmp: dir.file("tmp-is-a-file") })));
    expect(codeOf(error)).toBe("MQB_STANDARD_IPC_NO_FOLDER");
    expect(describeError(error)).toContain("ipc://jobs");
    expect(describeError(error)).toContain(dir.file("run", "mq-bridge"));
    expect(describeError(error)).toContain(dir.file("tmp-is-a-file", "mq-bridge"));
  });

  it("is looked for in all places, and the error names them", async () => {
    await using dir = await TempDir.make();
    await mkdir(dir.file("user"));
    const surroundings = await around(dir, { runtimeDir: dir.file("user") });
    const error = await rejection(placeToConnect(named, surroundings));
    expect(codeOf(error)).toBe("MQB_STANDARD_IPC_UNREACHABLE");
    for (const base of ["run", "user", "tmp"]) {
      expect(describeError(error)).toContain(dir.file(base, "mq-bridge", "jobs.sock"));
    }
    await mkdir(dir.file("tmp", "mq-bridge"));
    using _ = await listenAt(dir.file("tmp", "mq-bridge", "jobs.sock"));
    expect(await placeToConnect(named, surroundings)).toBe(dir.file("tmp", "mq-bridge", "jobs.sock"));
  });

  it("is refused where its path would be too long, with the path and the limit", async () => {
    await using dir = await TempDir.make();
    const name = "n".repeat(108);
    const error = await rejection(placeToListen({ url: `ipc://${name}`, kind: "name", name }, await around(dir)));
    expect(codeOf(error)).toBe("MQB_STANDARD_IPC_PATH_TOO_LONG");
    expect(describeError(error)).toMatch(new RegExp(`${name}\\.sock, which has \\d+ bytes; .* at most 10[37]`));
  });
});

describe("the socket of a path", () => {
  it("has its folders made for their owner alone", async () => {
    await using dir = await TempDir.make();
    const path = dir.file("a", "b", "q.sock");
    expect(await placeToListen({ url: `ipc://${path}`, kind: "path", path })).toBe(path);
    expect(await mode(dir.file("a"))).toBe("700");
    expect(await mode(dir.file("a", "b"))).toBe("700");
  });

  it("is refused when its folder cannot be made", async () => {
    await using dir = await TempDir.make();
    const file = await dir.write("file", "");
    const path = join(file, "q.sock");
    const error = await rejection(placeToListen({ url: `ipc://${path}`, kind: "path", path }));
    expect(codeOf(error)).toBe("MQB_STANDARD_IPC_FOLDER");
    expect(describeError(error)).toContain(file);
  });
});
