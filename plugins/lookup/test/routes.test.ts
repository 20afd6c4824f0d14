import { createBridge, createRegistry } from "@mqb/core";
import { type Handler, Message } from "@mqb/core/plugin";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";

const registry = createRegistry([standard, file, plugin]);
const ROWS = 1000;

/** Knows every user but each fifth; fails for each seventh. */
const users: Handler = (message) => {
  const { user } = message.json() as { user: number };
  if (user % 7 === 0) return new Message("no", new Map([["http_status_code", "400"]]));
  if (user % 5 === 0) return new Message("");
  return new Message(`{"name": "u${user}", "score": ${user}.50}`);
};

describe.each([1, 8])("lookups in routes with concurrency %i", (concurrency) => {
  it("ask another route, on both sides, and lose and double nothing", async () => {
    await using dir = await TempDir.make();
    const bridge = createBridge({ registry, baseDir: dir.path, drainIdleMs: 20 });
    const options = { concurrency, batch_size: 64 };
    const from = { memory: { topic: "users", request_reply: true } };
    bridge.route(
      "users",
      { ...options, input: { memory: { topic: "users" } }, output: { response: {} } },
      { handler: users },
    );
    const rows = Array.from({ length: ROWS }, (_, n) => `{"n":${n},"user":${n % 100}}`);
    await dir.write("in.jsonl", rows.map((row) => `${row}\n`).join(""));
    const cache = { key: "${payload:user}" };
    const route = bridge.route("r", {
      ...options,
      exit_on_empty: true,
      // Each seventh row goes here.
      input: { file: { path: "in.jsonl", format: "raw" }, middlewares: [{ lookup: { from, into: "in", cache } }] },
      output: {
        file: { path: "out.jsonl", format: "raw" },
        middlewares: [
          { lookup: { from, into: "out.rec", on_missing: "fail" } },
          { dlq: { endpoint: { file: { path: "dlq.jsonl", format: "raw" } } } },
        ],
      },
    });
    await bridge.start();
    // What a lookup of the input drops for good is told like what the sink drops: a run that lost something ends as failed.
    expect(await route.done).toMatchObject({
      outcome: "completed",
      drops: [{ code: "MQB_LOOKUP_REFUSED", count: rows.filter((_, n) => (n % 100) % 7 === 0).length }],
    });
    await bridge.stop();

    const known = rows.map((row, n) => ({ row: row.slice(0, -1), user: n % 100 })).filter(({ user }) => user % 7 !== 0);
    const answer = (user: number) => `{"name":"u${user}","score":${user}.50}`;
    const [good, missing] = [known.filter(({ user }) => user % 5 !== 0), known.filter(({ user }) => user % 5 === 0)];
    expect(await dir.read("out.jsonl")).toBe(
      good.map(({ row, user }) => `${row},"in":${answer(user)},"out":{"rec":${answer(user)}}}\n`).join(""),
    );
    expect(await dir.read("dlq.jsonl")).toBe(missing.map(({ row }) => `${row},"in":null}\n`).join(""));
    expect(route.status().accounting).toMatchObject({
      received: ROWS,
      dropped: ROWS - known.length,
      delivered: good.length,
      deadLettered: missing.length,
      inFlight: 0,
    });
  });
});

it("a retry listed behind a lookup asks again for what failed for now, and only for that", async () => {
  await using dir = await TempDir.make();
  const bridge = createBridge({ registry, baseDir: dir.path });
  const asked: string[] = [];
  const handler: Handler = (message) => {
    const text = message.text();
    asked.push(text);
    const first = asked.filter((one) => one === text).length === 1;
    return new Message("1", new Map(first && text === '{"n":1}' ? [["http_status_code", "503"]] : []));
  };
  bridge.route("users", { input: { memory: { topic: "users" } }, output: { response: {} } }, { handler });
  await dir.write("in.jsonl", '{"n":0}\n{"n":1}\n{"n":2}\n');
  const route = bridge.route("r", {
    exit_on_empty: true,
    input: { file: { path: "in.jsonl", format: "raw" } },
    output: {
      file: { path: "out.jsonl", format: "raw" },
      middlewares: [
        { lookup: { from: { memory: { topic: "users", request_reply: true } }, into: "a", concurrency: 1 } },
        { retry: { initial_interval_ms: 1 } },
      ],
    },
  });
  await bridge.start();
  expect(await route.done).toMatchObject({ outcome: "completed", drops: [] });
  await bridge.stop();
  expect(asked).toEqual(['{"n":0}', '{"n":1}', '{"n":2}', '{"n":1}']);
  expect(await dir.read("out.jsonl")).toBe('{"n":0,"a":1}\n{"n":2,"a":1}\n{"n":1,"a":1}\n');
});
