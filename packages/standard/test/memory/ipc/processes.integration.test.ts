import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, Message } from "@mqb/core/plugin";
import { eventually, type RunningProcess, runProcess, TempDir, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../../src/index.ts";
import { NEVER } from "../../opened.ts";

const CONSUMER = fileURLToPath(new URL("ipc-consumer.ts", import.meta.url));
const WORKSPACE = fileURLToPath(new URL("../../../../..", import.meta.url));

const consumer = (url: string, out: string, mode: "stay" | "drain"): RunningProcess =>
  runProcess({ args: ["--conditions=@mqb/source", "--import", "tsx", CONSUMER, url, out, mode], cwd: WORKSPACE });

const lines = (path: string): number[] =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1).map(Number) : [];

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

it("a drain of another process gets everything to the last message, in order", async () => {
  await using dir = await TempDir.make();
  const url = `ipc://${dir.file("q.sock")}`;
  await using child = consumer(url, dir.file("out"), "drain");
  await child.line(/^ready$/);
  const bridge = createBridge({ registry: createRegistry([standard]) });
  const publisher = await bridge.openPublisher({ memory: { url } });
  for (let at = 0; at < 10_000; at += 100) {
    await publisher.send(batchOf(range(100).map((n) => new Message(`${at + n}`))), NEVER);
  }
  await publisher.close();
  expect(await child.ended).toEqual({ code: 0, signal: null });
  expect(child.stdout).toContain("completed 10000");
  expect(lines(dir.file("out"))).toEqual(range(10_000));
  expect(existsSync(dir.file("q.sock"))).toBe(false);
});

it("a publisher's route goes on when the consumer is stopped and started again; what that costs is said", async () => {
  await using dir = await TempDir.make();
  const url = `ipc://${dir.file("q.sock")}`;
  const out = dir.file("out");
  const bridge = createBridge({ registry: createRegistry([standard]) });
  const total = 2000;
  const source = await bridge.openPublisher({ memory: { topic: "source", capacity: total } });
  for (let n = 0; n < total; n++) await source.send(batchOf([new Message(`${n}`)]), NEVER);
  const route = bridge.route("out", {
    input: { memory: { topic: "source", enable_nack: true } },
    output: { memory: { url }, middlewares: [{ delay: { delay_ms: 1 } }] },
    batch_size: 10,
    reconnect_interval_ms: 10,
    startup_timeout_ms: 30_000,
  });
  const started = route.start();
  let lost = 0;
  {
    await using child = consumer(url, out, "stay");
    await child.line(/^ready$/);
    await eventually(() => lines(out).length >= 500, "500 messages", 30_000);
    expect(await child.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    lost = Number(/(\d+) message\(s\) that were read/.exec(child.stderr)?.[1] ?? 0);
  }
  await started;
  await using child = consumer(url, out, "stay");
  await child.line(/^ready$/);
  await eventually(() => lines(out).at(-1) === total - 1, "the last message", 30_000);
  await route.stop();
  const arrived = lines(out);
  expect(arrived).toEqual([...new Set(arrived)].sort((a, b) => a - b));
  expect(arrived.length + lost).toBe(total);
});

it("the socket of a process that was killed is taken over", async () => {
  await using dir = await TempDir.make();
  const path = dir.file("q.sock");
  const out = dir.file("out");
  for (let round = 0; round < 2; round++) {
    await using killed = consumer(`ipc://${path}`, out, "stay");
    await killed.line(/^ready$/);
    await killed.kill();
    expect(existsSync(path)).toBe(true);
  }
  const { ended } = consumer(`unix://${path}`, out, "drain");
  expect(await within(ended, "the drain", 30_000)).toEqual({ code: 0, signal: null });
  expect(existsSync(path)).toBe(false);
});

it("a socket at which another process listens is refused by name", async () => {
  await using dir = await TempDir.make();
  const path = dir.file("q.sock");
  const server = createServer().listen(path);
  await once(server, "listening");
  await using child = consumer(`ipc://${path}`, dir.file("out"), "stay");
  expect(await child.ended).toMatchObject({ code: 1 });
  expect(child.stderr).toContain(`another consumer listens at the socket ${path}`);
  const closed = once(server, "close");
  server.close();
  await closed;
});
