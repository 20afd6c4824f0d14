import { once } from "node:events";
import { link, lstat, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { codeOf, describeError } from "@mqb/core/plugin";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { claim, isListening } from "../../../src/memory/ipc/claim.ts";

async function closed(server: Server): Promise<void> {
  const end = once(server, "close");
  server.close();
  await end;
}

async function codeOfClaim(path: string): Promise<{ code: string | undefined; text: string }> {
  const server = createServer();
  try {
    await claim(server, path);
    return { code: undefined, text: "" };
  } catch (error) {
    return { code: codeOf(error), text: describeError(error) };
  } finally {
    server.close();
  }
}

/** A socket file whose listener is gone without removing it, as after a crash. */
async function stale(path: string): Promise<void> {
  const server = createServer().listen(`${path}.first`);
  await once(server, "listening");
  await link(`${path}.first`, path);
  await closed(server);
}

describe("a socket is claimed", () => {
  it("for its owner alone, and nothing else is left in the folder", async () => {
    await using dir = await TempDir.make();
    const server = createServer();
    const { release } = await claim(server, dir.file("q.sock"));
    expect(((await stat(dir.file("q.sock"))).mode & 0o777).toString(8)).toBe("600");
    expect(await readdir(dir.path)).toEqual(["q.sock"]);
    expect(await isListening(dir.file("q.sock"))).toBe(true);
    await release();
    await closed(server);
    expect(await readdir(dir.path)).toEqual([]);
  });

  it("from a file that a crash has left", async () => {
    await using dir = await TempDir.make();
    await stale(dir.file("q.sock"));
    expect((await lstat(dir.file("q.sock"))).isSocket()).toBe(true);
    expect(await isListening(dir.file("q.sock"))).toBe(false);
    const server = createServer();
    const { release } = await claim(server, dir.file("q.sock"));
    expect(await isListening(dir.file("q.sock"))).toBe(true);
    await release();
    await closed(server);
  });

  it("by one of many who find the same abandoned file at the same time", async () => {
    await using dir = await TempDir.make();
    const path = dir.file("q.sock");
    for (let round = 0; round < 5; round++) {
      await stale(path);
      const servers = Array.from({ length: 8 }, () => createServer());
      const results = await Promise.allSettled(servers.map((server) => claim(server, path)));
      const won = results.flatMap((result, i) =>
        result.status === "fulfilled" ? [{ ...result.value, server: servers[i]! }] : [],
      );
      expect(won).toHaveLength(1);
      for (const result of results) {
        if (result.status === "rejected") expect(codeOf(result.reason)).toBe("MQB_STANDARD_IPC_IN_USE");
      }
      const [{ server, release }] = won as [(typeof won)[0]];
      const connected = once(server, "connection");
      const client = connect(path);
      await connected;
      client.destroy();
      await release();
      for (const one of servers) one.close();
      expect(await readdir(dir.path)).toEqual([]);
    }
  });

  it("at a path of the greatest length that the system takes", async () => {
    await using dir = await TempDir.make();
    const limit = process.platform === "linux" ? 107 : 103;
    for (const nameLength of [1, 12]) {
      const folder = dir.file("d".repeat(limit - Buffer.byteLength(dir.path) - 2 - nameLength));
      await mkdir(folder);
      const path = `${folder}/${"q".repeat(nameLength)}`;
      expect(Buffer.byteLength(path)).toBe(limit);
      const server = createServer();
      const { release } = await claim(server, path);
      expect(await isListening(path)).toBe(true);
      await release();
      await closed(server);
    }
  });
});

describe("a socket is not claimed", () => {
  it("while somebody listens at it, who does not notice", async () => {
    await using dir = await TempDir.make();
    const path = dir.file("q.sock");
    const server = createServer();
    const { release } = await claim(server, path);
    const refusal = await codeOfClaim(path);
    expect(refusal).toEqual({ code: "MQB_STANDARD_IPC_IN_USE", text: expect.stringContaining(path) });
    expect(await isListening(path)).toBe(true);
    await release();
    await closed(server);
  });

  it("from a file that is no socket, which stays as it is", async () => {
    await using dir = await TempDir.make();
    const path = await dir.write("q.sock", "precious");
    expect(await codeOfClaim(path)).toEqual({
      code: "MQB_STANDARD_IPC_NO_SOCKET",
      text: expect.stringContaining(path),
    });
    expect(await dir.read("q.sock")).toBe("precious");
    expect(await readdir(dir.path)).toEqual(["q.sock"]);
  });
});

it("whoever lets a socket go takes away only its own", async () => {
  await using dir = await TempDir.make();
  const path = dir.file("q.sock");
  const server = createServer();
  const { release } = await claim(server, path);
  await rename(path, dir.file("moved.sock"));
  await writeFile(path, "of somebody else");
  await release();
  expect(await dir.read("q.sock")).toBe("of somebody else");
  await rm(dir.file("moved.sock"));
  await closed(server);
});
