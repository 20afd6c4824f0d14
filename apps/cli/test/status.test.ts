import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { RouteStatus } from "@mqb/core";
import { FakeClock } from "@mqb/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimFolder, instancesFolder, listInstances } from "../src/status/folder.ts";
import { announceInstance } from "../src/status/lease.ts";
import { type InstanceRecord, type Summary, safeEndpoint, safeLabel } from "../src/status/record.ts";
import { Snapshots } from "../src/status/snapshot.ts";
import { stateOf, statusTable, uptime } from "../src/status/table.ts";
import { scratchFolder } from "./support/cli.ts";

let scratch: ReturnType<typeof scratchFolder>;
let folder: string;
beforeEach(() => {
  scratch = scratchFolder();
  folder = join(scratch.path, "mq-bridge-app", "instances");
});
afterEach(() => scratch.remove());

const status = (over: Partial<RouteStatus> = {}, received = 0): RouteStatus => ({
  name: "orders",
  state: "running",
  healthy: true,
  guarantee: "",
  guaranteeReason: "",
  accounting: {
    ...{ received, inFlight: 0, delivered: received, replied: 0, filtered: 0 },
    ...{ deduplicated: 0, deadLettered: 0, dropped: 0, nacked: 0 },
  },
  drops: [],
  reconnects: 0,
  startedAt: 0,
  inFlight: { batches: 0, bytes: 0 },
  ...over,
});
const reported = (one: RouteStatus) => [{ status: one, input: "kafka", output: "file" }];

function lease(clock: FakeClock, over: { routes?: () => ReturnType<typeof reported>; showErrors?: boolean } = {}) {
  return announceInstance({
    folder,
    clock,
    workspace: "/srv/orders.yml",
    showErrors: false,
    redact: (text) => text,
    routes: () => reported(status()),
    ...over,
  });
}

describe("the folder of the records", () => {
  it("is in the user's runtime folder, else in a private temporary one", () => {
    expect(instancesFolder({ XDG_RUNTIME_DIR: "/run/user/1", TMPDIR: "/tmp/x" })).toBe(
      "/run/user/1/mq-bridge-app/instances",
    );
    expect(instancesFolder({ TMPDIR: "/tmp/x" })).toBe("/tmp/x/mq-bridge-app/instances");
    expect(instancesFolder({})).toBeUndefined();
  });

  it("belongs to its owner alone", () => {
    claimFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    claimFolder(folder);
    chmodSync(folder, 0o750);
    expect(() => claimFolder(folder)).toThrow(/others/);
  });

  it("is no link", () => {
    mkdirSync(join(scratch.path, "elsewhere"));
    mkdirSync(join(scratch.path, "mq-bridge-app"));
    symlinkSync(join(scratch.path, "elsewhere"), folder);
    expect(() => claimFolder(folder)).toThrow(/not a folder/);
  });
});

describe("a record", () => {
  it("is listed while its process renews it, and removed when that ends", async () => {
    const clock = new FakeClock(1_000_000);
    const announced = lease(clock);
    const [record] = listInstances(folder, clock.now());
    expect(record).toMatchObject({ schema_version: 1, kind: "cli", pid: process.pid, workspace_label: "orders" });
    expect(record!.routes[0]).toMatchObject({
      label: "orders",
      input: { endpoint: "kafka" },
      output: { endpoint: "file" },
    });
    const [file] = readdirSync(folder);
    expect(statSync(join(folder, file!)).mode & 0o777).toBe(0o600);
    await clock.advance(10_000);
    expect(listInstances(folder, clock.now())).toHaveLength(1);
    announced.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("of a process that is gone is removed by whoever lists", () => {
    const clock = new FakeClock(1_000_000);
    lease(clock);
    expect(listInstances(folder, clock.now() + 7000)).toHaveLength(1);
    expect(listInstances(folder, clock.now() + 7001)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("alone is touched: another version, what is no record, pipes, links and folders stay as they are", () => {
    claimFolder(folder);
    const elsewhere = join(scratch.path, "package.json");
    writeFileSync(elsewhere, "{}");
    writeFileSync(join(folder, "a.json"), JSON.stringify({ schema_version: 2 }));
    writeFileSync(join(folder, "b.json"), "not json");
    writeFileSync(join(folder, "c.json"), JSON.stringify({ schema_version: 1, instance_id: 5 }));
    writeFileSync(join(folder, "d.json"), "x".repeat(300_000));
    execFileSync("mkfifo", [join(folder, "e.json")]);
    symlinkSync(elsewhere, join(folder, "f.json"));
    mkdirSync(join(folder, "g.json"));
    writeFileSync(join(folder, ".notes.tmp"), "");
    const before = readdirSync(folder);
    expect(listInstances(folder, Date.now() + 1_000_000)).toEqual([]);
    expect(readdirSync(folder)).toEqual(before);
  });

  it("is not looked for in a folder of somebody else, or behind a link", () => {
    const victim = join(scratch.path, "victim");
    mkdirSync(victim, { mode: 0o700 });
    writeFileSync(join(victim, "package.json"), "{}");
    mkdirSync(join(scratch.path, "mq-bridge-app"), { mode: 0o700 });
    symlinkSync(victim, folder);
    expect(() => listInstances(folder, 0)).toThrow(/not a folder/);
    chmodSync(join(scratch.path, "mq-bridge-app"), 0o777);
    expect(() => listInstances(folder, 0)).toThrow(/others/);
    expect(existsSync(join(victim, "package.json"))).toBe(true);
  });

  it("holds no error text unless that is asked for", () => {
    const clock = new FakeClock(1000);
    const failing = () => reported(status({ healthy: false, error: "password hunter2 refused" }));
    const first = lease(clock, { routes: failing });
    expect(readFileSync(join(folder, readdirSync(folder)[0]!), "utf8")).not.toContain("hunter2");
    first.close();
    lease(clock, { routes: failing, showErrors: true });
    expect(listInstances(folder, 1000)[0]!.routes[0]!.summary.error).toContain("refused");
  });

  it("is written again after its folder came back", async () => {
    const clock = new FakeClock(1_000_000);
    lease(clock);
    scratch.remove();
    await clock.advance(2000);
    expect(existsSync(folder)).toBe(false);
    claimFolder(folder);
    await clock.advance(2000);
    expect(listInstances(folder, clock.now())).toHaveLength(1);
  });

  it("has labels without secrets and control characters", () => {
    expect(safeLabel("a\u001b[31mb\n")).toBe("a[31mb");
    expect([safeLabel("nats://u:p@h"), safeLabel("my-token"), safeLabel("a@b")]).toEqual([
      "redacted",
      "redacted",
      "redacted",
    ]);
    expect([...safeLabel("x".repeat(1000))]).toHaveLength(256);
    expect([safeEndpoint(" Kafka "), safeEndpoint("a/b"), safeEndpoint("")]).toEqual(["kafka", "unknown", "unknown"]);
  });
});

describe("rates", () => {
  it("are those since the last record, and since the start", () => {
    const snapshots = new Snapshots(false);
    const summary = (received: number, now: number): Summary =>
      snapshots.take(reported(status({}, received)), now)[0]!.summary;
    expect(summary(0, 0).throughput).toBe(0);
    expect(summary(100, 2000)).toMatchObject({ throughput: 50, average_throughput: 50, message_sequence: 100 });
    expect(summary(100, 4000)).toMatchObject({ throughput: 0, average_throughput: 25 });
  });
});

describe("the table", () => {
  const summary = (over: Partial<Summary> = {}): Summary => ({
    ...{ running: true, healthy: true, pending: null, capacity: null, error: null },
    ...{ throughput: 0, message_sequence: 0 },
    ...over,
  });

  it.each([
    [summary(), "running"],
    [summary({ healthy: false }), "unhealthy"],
    [summary({ running: false, started_at_ms: 1 }), "unhealthy"],
    [summary({ running: false }), "idle"],
    [summary({ running: false, outcome: "completed" }), "completed"],
    [summary({ running: false, outcome: "completed", error: "error" }), "completed (error)"],
    [summary({ running: false, outcome: "failed" }), "failed"],
    [summary({ running: false, outcome: "stopped" }), "stopped"],
  ])("names the state of %j", (one, state) => expect(stateOf(one)).toBe(state));

  it.each([
    [51_999, "51s"],
    [120_000, "2m00s"],
    [3_900_000, "1h05m"],
    [-5, "0s"],
  ])("writes %d ms as %s", (ms, text) => expect(uptime(ms)).toBe(text));

  it("has a line for each route, and one for a process without any", () => {
    const base = { schema_version: 1, kind: "cli", application_version: "1", started_at_ms: 0, last_seen_at_ms: 0 };
    const record = (pid: number, routes: InstanceRecord["routes"]): InstanceRecord => ({
      ...base,
      ...{ instance_id: `i${pid}`, pid, workspace_id: "", workspace_label: "w", consumers: [], publishers: [], routes },
    });
    const [one] = new Snapshots(false).take(
      reported(status({ input: { healthy: true, target: "", pending: 3, capacity: 10 } }, 8)),
      4000,
    );
    const table = statusTable([record(1, [one!]), record(2, [])], 4000)
      .trimEnd()
      .split("\n");
    expect(table.map((line) => line.split(/ {2,}/))).toEqual([
      ["INSTANCE", "NAME", "FLOW", "STATE", "RATE", "AVG", "TOTAL", "PENDING", "UPTIME"],
      ["cli w [1]", "orders", "kafka -> file", "running", "-", "2.0/s", "8", "3/10", "4s"],
      ["cli w [2]", "-", "-", "idle", "-", "-", "-", "-", "4s"],
    ]);
    expect(statusTable([], 0)).toBe("No running mq-bridge instances.\n");
  });
});
