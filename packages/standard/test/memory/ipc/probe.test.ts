import { mkdir } from "node:fs/promises";
import type { Side } from "@mqb/core/plugin";
import { TempDir } from "@mqb/testkit";
import { expect, it } from "vitest";
import type { IpcAddress } from "../../../src/memory/ipc/address.ts";
import { probeIpc } from "../../../src/memory/ipc/probe.ts";
import { Socketed } from "./setup.ts";

const at = (path: string): IpcAddress => ({ url: `ipc://${path}`, kind: "path", path });
const look = async (path: string, side: Side) => (await probeIpc(at(path), { side }))[0]!;

it("an output needs somebody who listens", async () => {
  await using socket = await Socketed.make();
  expect(await look(socket.path, "output")).toMatchObject({ check: "reachable", ok: false });
  await socket.consumer();
  const identity = `memory ${socket.path}`;
  expect(await look(socket.path, "output")).toMatchObject({ check: "reachable", ok: true, identity });
});

it("an input needs a socket at which nobody listens", async () => {
  await using socket = await Socketed.make();
  const identity = `memory ${socket.path}`;
  expect(await look(socket.path, "input")).toMatchObject({ check: "writable", ok: true, identity });
  await socket.consumer();
  expect(await look(socket.path, "input")).toMatchObject({
    check: "free",
    ok: false,
    detail: expect.stringContaining(socket.path),
    hint: expect.stringContaining("one consumer"),
  });
});

it("an input needs a folder in which it can make a socket, or can make it itself", async () => {
  await using dir = await TempDir.make();
  const file = await dir.write("file", "");
  expect(await look(dir.file("a", "b", "q.sock"), "input")).toMatchObject({ check: "writable", ok: true });
  expect(await look(`${file}/q.sock`, "input")).toMatchObject({ ok: false, detail: expect.stringContaining(file) });
  expect(await look(file, "input")).toMatchObject({ check: "free", ok: false });
});

it("a name is looked for where it would be put", async () => {
  await using dir = await TempDir.make();
  await mkdir(dir.file("tmp"));
  const around = { run: dir.file("run"), runtimeDir: undefined, tmp: dir.file("tmp"), user: process.getuid!() };
  const named: IpcAddress = { url: "ipc://jobs", kind: "name", name: "jobs" };
  expect(await probeIpc(named, { side: "output" }, around)).toMatchObject([
    { ok: false, detail: expect.stringContaining("ipc://jobs") },
  ]);
  expect(await probeIpc(named, { side: "input" }, around)).toMatchObject([{ check: "free", ok: true }]);
});
