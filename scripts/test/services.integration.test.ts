import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../services-frame/probe.mjs";
import { requireService } from "./require-service.ts";
import { freePort, scratchFolder, servicesIn } from "./services-call.ts";

const binary = "/usr/bin/redis-server";
const missing = await requireService("redis", async () =>
  existsSync(binary) ? undefined : `${binary} is not installed`,
);

// One story in order: each test starts from what the one before it has left.
describe.skipIf(missing !== undefined)("scripts/services with a real Redis", () => {
  const folder = scratchFolder();
  const record = join(folder, "run", "redis.json");
  let port = 0;
  let services = servicesIn(folder);

  const talk = async (command: string, atLeast: number) => (await ask(port, `${command}\r\n`, atLeast)).toString();
  const pid = (): number => JSON.parse(readFileSync(record, "utf8")).processes[0].pid;
  const state = async () => /^redis +(\w+)/m.exec((await services("status", "redis")).stdout)?.[1];

  beforeAll(async () => {
    port = await freePort();
    services = servicesIn(folder, { MQB_SERVICES_REDIS_PORT: `${port}` });
  });
  afterAll(async () => {
    await services("wipe", "redis");
    rmSync(folder, { recursive: true, force: true });
  });

  it("refuses a port that another process has", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, "127.0.0.1", resolve));
    const called = await services("up", "redis");
    await new Promise((resolve) => other.close(resolve));
    expect(called).toMatchObject({ code: 1, stderr: `redis: port ${port} is taken by another process\n` });
  });

  it("returns from up when the server answers", async () => {
    expect(await services("up", "redis")).toMatchObject({ code: 0, stderr: "" });
    expect(await talk("PING", 7)).toBe("+PONG\r\n");
    expect(await state()).toBe("up");
    expect((await services("status", "redis")).code).toBe(0);
  });

  it("is left alone by a second up", async () => {
    const before = pid();
    expect((await services("up", "redis")).stdout).toBe("redis: is up already\n");
    expect(pid()).toBe(before);
  });

  it("prints where it is", async () => {
    expect((await services("env", "redis")).stdout).toBe(`export MQB_TEST_REDIS_URL='redis://127.0.0.1:${port}'\n`);
    expect((await services("env")).stdout).toContain(`redis://127.0.0.1:${port}`);
  });

  it("keeps the data over a kill", async () => {
    expect(await talk("SET kept yes", 5)).toBe("+OK\r\n");
    expect(await services("kill", "redis")).toMatchObject({ code: 0, stdout: "redis: is killed\n" });
    await expect(talk("PING", 7)).rejects.toThrow(/ECONNREFUSED/);
    expect(await state()).toBe("down");
    expect((await services("up", "redis")).code).toBe(0);
    expect(await talk("GET kept", 9)).toBe("$3\r\nyes\r\n");
  });

  it("notices a server that has died, and starts it again", async () => {
    process.kill(pid(), "SIGKILL");
    await expect.poll(state, { interval: 20 }).toBe("dead");
    expect((await services("status")).code).toBe(1);
    expect((await services("up", "redis")).code).toBe(0);
    expect(await talk("PING", 7)).toBe("+PONG\r\n");
  });

  it("is silent while paused, with its port open, and answers again after resume", async () => {
    expect((await services("pause", "redis")).code).toBe(0);
    await expect(talk("PING", 7)).rejects.toThrow(/silent/);
    expect(await state()).toBe("paused");
    expect((await services("status", "redis")).code).toBe(1);
    expect((await services("up", "redis")).stderr).toMatch(/is paused: run resume first/);
    expect((await services("resume", "redis")).code).toBe(0);
    expect(await talk("PING", 7)).toBe("+PONG\r\n");
  });

  it("ends a paused server too", async () => {
    await services("pause", "redis");
    expect(await services("down", "redis")).toMatchObject({ code: 0, stderr: "" });
    expect((await services("up", "redis")).code).toBe(0);
  });

  it("becomes another process at restart, with the same data", async () => {
    const before = pid();
    expect((await services("restart", "redis")).code).toBe(0);
    expect(pid()).not.toBe(before);
    expect(await talk("GET kept", 9)).toBe("$3\r\nyes\r\n");
  });

  it("starts one server when many calls come at once", async () => {
    await services("down", "redis");
    const calls = await Promise.all([1, 2, 3].map(() => services("up", "redis")));
    expect(calls.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(calls.filter(({ stdout }) => stdout.includes("already"))).toHaveLength(2);
  });

  it("is down after down, and a second down says so", async () => {
    expect((await services("down", "redis")).code).toBe(0);
    await expect(talk("PING", 7)).rejects.toThrow(/ECONNREFUSED/);
    expect(await services("down", "redis")).toMatchObject({ code: 0, stdout: "redis: is down already\n" });
    expect(await state()).toBe("down");
  });

  it("quotes the log of a server that cannot start, and leaves nothing behind", async () => {
    rmSync(join(folder, "data", "redis"), { recursive: true });
    writeFileSync(join(folder, "data", "redis"), "a file where the folder should be");
    expect((await services("up", "redis")).code).toBe(1);
    expect(await state()).toBe("down");
    await services("wipe", "redis");

    await services("up", "redis");
    await services("down", "redis");
    const parts = join(folder, "data", "redis", "appendonlydir");
    writeFileSync(join(parts, "appendonly.aof.manifest"), "not a manifest\n");
    const called = await services("up", "redis");
    expect(called.code).toBe(1);
    expect(called.stderr).toMatch(/redis: ended while it started\n[\s\S]*manifest/);
    expect(await state()).toBe("down");
  });

  it("is as new after wipe", async () => {
    expect((await services("wipe", "redis")).stdout).toBe("redis: is wiped\n");
    expect(existsSync(join(folder, "data", "redis"))).toBe(false);
    expect((await services("up", "redis")).code).toBe(0);
    expect(await talk("GET kept", 5)).toBe("$-1\r\n");
  });
});
