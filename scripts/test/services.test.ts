import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { identify, isAlive, signal } from "../services-frame/processes.mjs";
import { scratchFolder, servicesIn } from "./services-call.ts";

const folder = scratchFolder();
const services = servicesIn(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Processes are known by /proc: Linux only, like the servers' packages.
const linux = process.platform === "linux";

describe.skipIf(!linux)("scripts/services", () => {
  it("explains itself and exits with 2 when there is nothing to do", async () => {
    const called = await services();
    expect(called.code).toBe(2);
    expect(called.stderr).toMatch(/usage: scripts\/services VERB NAME[\s\S]*\n {2}redis /);
  });

  it("refuses a verb or a server that it does not know by name", async () => {
    expect(await services("start", "redis")).toMatchObject({ code: 2, stderr: expect.stringMatching(/verb: start/) });
    expect(await services("up", "reddis")).toMatchObject({ code: 2, stderr: expect.stringMatching(/server: reddis/) });
    expect(await services("wipe")).toMatchObject({ code: 2, stderr: expect.stringMatching(/wipe what/) });
  });

  it("refuses a port that outgoing connections may hold", async () => {
    const called = await servicesIn(folder, { MQB_SERVICES_REDIS_PORT: "40000" })("env", "redis");
    expect(called).toMatchObject({ code: 1, stderr: expect.stringMatching(/MQB_SERVICES_REDIS_PORT=40000: a port/) });
  });

  it("never signals a process that has got the pid of a server", async () => {
    const stranger = await spawnStranger();
    const known = identify(stranger.pid ?? 0);
    const earlier = { ...known, start: `${Number(known?.start) - 1}` };
    mkdirSync(join(folder, "run"), { recursive: true });
    writeFileSync(join(folder, "run", "redis.json"), JSON.stringify({ processes: [earlier], ports: { main: 26379 } }));

    expect((await services("status")).stdout).toMatch(/^redis +dead/m);
    expect((await services("pause", "redis")).stderr).toBe("redis: is not running\n");
    expect((await services("kill", "redis")).code).toBe(0);
    expect((await services("status")).stdout).not.toMatch(/dead/);

    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    stranger.kill("SIGKILL");
    await once(stranger, "exit");
  });
});

describe.skipIf(!linux)("processes", () => {
  it("tells a running process from one that has ended", async () => {
    const child = await spawnStranger();
    const known = identify(child.pid ?? 0);
    if (known === undefined) throw new Error("the child does not run");
    expect(isAlive(known)).toBe(true);
    expect(signal(known, "SIGKILL")).toBe(true);
    await once(child, "exit");
    expect(isAlive(known)).toBe(false);
    expect(signal(known, "SIGKILL")).toBe(false);
  });

  it("does not signal a process of another boot", async () => {
    const child = await spawnStranger();
    const known = identify(child.pid ?? 0);
    if (known === undefined) throw new Error("the child does not run");
    expect(signal({ ...known, boot: "another" }, "SIGKILL")).toBe(false);
    child.kill("SIGKILL");
    await once(child, "exit");
  });
});

async function spawnStranger(): Promise<ChildProcess> {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  await once(child, "spawn");
  return child;
}
