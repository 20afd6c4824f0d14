import { createBridge, createRegistry, type Handler } from "@mqb/core";
import { MqbError, type StateStore, systemClock } from "@mqb/core/plugin";
import expression from "@mqb/expression";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { CollectingPublisher, fakeContext, fakePlugin, recordingLogger, TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";

const ROWS = 2000;
const registry = createRegistry([standard, file, expression, plugin]);
const fields = { n: "count", total: "sum(v)" };
const key = "${payload:k}";

const MODES = {
  "in memory": { consistency: "single_writer" },
  shared: { store: "memory:" },
  "written behind": { store: "memory:", consistency: "single_writer" },
} as const;

describe.each(Object.entries(MODES))("aggregate in a route, %s", (_, mode) => {
  it.each([1, 8])("with concurrency %i folds every message once, on both sides", async (concurrency) => {
    await using dir = await TempDir.make();
    // Every tenth row cannot be folded by the input, every seventh of the others not by the output.
    const rows = Array.from({ length: ROWS }, (_, i) => ({
      k: i % 13,
      v: i % 10 === 0 ? "x" : 0.1,
      w: i % 7 === 0 ? "x" : 1,
    }));
    await dir.write("in.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const route = createBridge({ registry, baseDir: dir.path }).route("r", {
      exit_on_empty: true,
      concurrency,
      batch_size: 64,
      input: {
        file: { path: "in.jsonl", format: "raw" },
        middlewares: [{ aggregate: { ...mode, key, into: "in", fields } }],
      },
      output: {
        file: { path: "out.jsonl", format: "raw" },
        middlewares: [
          { aggregate: { ...mode, key, into: "out", fields: { n: "count", s: "sum(w)" } } },
          { dlq: { endpoint: { file: { path: "dlq.jsonl", format: "raw" } } } },
        ],
      },
    });
    await route.start();
    expect(await route.done).toMatchObject({ outcome: "completed", drops: [] });

    const received = rows.filter(({ v }) => v !== "x");
    const sent = received.filter(({ w }) => w !== "x");
    const seen = { in: new Map<number, number>(), out: new Map<number, number>() };
    const count = (side: Map<number, number>, k: number): number => {
      side.set(k, (side.get(k) ?? 0) + 1);
      return side.get(k)!;
    };
    const wanted = received.map((row) => {
      const n = count(seen.in, row.k);
      const tenths = n % 10 === 0 ? `${n / 10}.0` : `${n / 10}`;
      const text = `{"k":${row.k},"v":0.1,"w":${JSON.stringify(row.w)},"in":{"n":${n},"total":${tenths}}`;
      if (row.w === "x") return { dead: `${text}}` };
      const m = count(seen.out, row.k);
      return { sent: `${text},"out":{"n":${m},"s":${m}.0}}` };
    });
    const lines = (which: "sent" | "dead") => wanted.flatMap((one) => (one[which] ? [`${one[which]}\n`] : [])).join("");
    expect(await dir.read("out.jsonl")).toBe(lines("sent"));
    expect(await dir.read("dlq.jsonl")).toBe(lines("dead"));
    expect(route.status().accounting).toMatchObject({
      received: ROWS,
      filtered: ROWS / 10,
      delivered: sent.length,
      deadLettered: received.length - sent.length,
      inFlight: 0,
    });
  });
});

describe("aggregate with retry", () => {
  /** The counts that arrive at a sink that fails twice, and the stored state. */
  async function counts(middlewares: readonly object[]): Promise<{ given: string[]; stored: string }> {
    const sink = new CollectingPublisher();
    for (let n = 0; n < 2; n++) sink.rejectNext(new MqbError("MQB_TEST_BUSY", "retryable", "busy"));
    const fakes = fakePlugin({ sink: { publisher: () => sink } });
    await using dir = await TempDir.make();
    await dir.write("in.jsonl", '{"k":1}\n{"k":1}\n{"k":1}\n');
    const bridge = createBridge({ registry: createRegistry([standard, file, plugin, fakes]), baseDir: dir.path });
    const route = bridge.route("r", {
      exit_on_empty: true,
      batch_size: 1,
      input: { file: { path: "in.jsonl", format: "raw" } },
      output: { sink: {}, middlewares },
    } as never);
    await route.start();
    await route.done;
    const given = sink.messages.map((message) => /"n":(\d+)/.exec(message.text())![1]!);
    const states = JSON.parse(await dir.read("states.json")) as Record<string, string>;
    return { given, stored: Object.values(states)[0]! };
  }
  const aggregate = { aggregate: { store: "file:states.json", key, into: "a", fields: { n: "count" } } };

  it("listed before it sends the same numbers again: no gap, and the last one is the stored one", async () => {
    expect(await counts([{ retry: { initial_interval_ms: 1 } }, aggregate])).toEqual({
      given: ["1", "2", "3"],
      stored: "[3.0]",
    });
  });

  it("listed behind it folds again with each attempt, as documented; the last number is still the stored one", async () => {
    expect(await counts([aggregate, { retry: { initial_interval_ms: 1 } }])).toEqual({
      given: ["3", "4", "5"],
      stored: "[5.0]",
    });
  });
});

describe("states of a single writer that somebody else has written", () => {
  it("are found out, and no message of a drain is left uncounted", async () => {
    await using dir = await TempDir.make();
    await dir.write("in.jsonl", '{"k":1}\n'.repeat(ROWS));
    const log = recordingLogger();
    const bridge = createBridge({ registry, baseDir: dir.path, log });
    // While everything is in flight.
    let written: Promise<void> | undefined;
    const handler: Handler = async (message) => {
      written ??= addTo(dir.path, 1_000_000);
      await written;
      return message;
    };
    const route = bridge.route(
      "r",
      {
        exit_on_empty: true,
        batch_size: 20,
        input: {
          file: { path: "in.jsonl", format: "raw" },
          middlewares: [
            {
              aggregate: {
                store: "file:states.json",
                consistency: "single_writer",
                key,
                into: "a",
                fields: { n: "count" },
              },
            },
          ],
        },
        output: { file: { path: "out.jsonl", format: "raw" } },
      },
      { handler },
    );
    await route.start();
    expect(await route.done).toMatchObject({ outcome: "completed", drops: [] });
    expect(statesIn(await dir.read("states.json"))).toEqual({ [STATE]: `[${ROWS + 1_000_000}.0]` });
    // However many batches it gives back, a refused write is one event.
    expect(log.at("warn").filter((line) => line.includes("message(s) back")).length).toBe(1);
  });
});

const STATE = "mqb_aggregate_r/a:1";

/** What a file holds, without what single writers have left there. */
function statesIn(text: string): Record<string, unknown> {
  const all = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return Object.fromEntries(all.filter(([entry]) => !entry.includes("/:writer:")));
}

/** Adds to the stored count, whatever it is by then. */
async function addTo(baseDir: string, count: number): Promise<void> {
  const store = await openStates(baseDir);
  for (;;) {
    const [entry] = await store.getMany([STATE]);
    const [before] = entry ? (JSON.parse(Buffer.from(entry.value).toString()) as [number]) : [0];
    const value = Buffer.from(`[${before + count}.0]`);
    const [result] = await store.putMany([{ key: STATE, value, expectedVersion: entry?.version ?? null }]);
    if (result?.type === "written") break;
  }
  await store.close();
}

async function openStates(baseDir: string): Promise<StateStore> {
  const context = { baseDir, clock: systemClock, log: recordingLogger(), local: fakeContext().local };
  return standard.stores!["file"]!.open("file:states.json", context);
}

describe("a restart", () => {
  it.each(["shared", "single_writer"])("goes on with the stored states (%s)", async (consistency) => {
    await using dir = await TempDir.make();
    const aggregates = {
      consistency,
      store: "file:states.json",
      time: "t",
      entries: [
        { key, into: "f", fields: { n: "count", e: "ema(v, 1m)", s: "stddev(v)", total: "sum(v)" } },
        { key, into: "x", expression: "{ total: (state.total ?? 0) + v, thirds: (state.thirds ?? 0) + v / 3 }" },
      ],
    };
    const rows = Array.from({ length: 60 }, (_, i) => `{"k":${i % 3},"v":${i % 7}.1,"t":${1_700_000_000 + i * 10}}\n`);
    const run = async (input: readonly string[], output: string, states: string): Promise<string> => {
      await dir.write("in.jsonl", input.join(""));
      const route = createBridge({ registry, baseDir: dir.path }).route("r", {
        exit_on_empty: true,
        batch_size: 4,
        input: { file: { path: "in.jsonl", format: "raw" } },
        output: {
          file: { path: output, format: "raw" },
          middlewares: [{ aggregate: { ...aggregates, store: `file:${states}` } }],
        },
      } as never);
      await route.start();
      expect(await route.done).toMatchObject({ outcome: "completed" });
      return dir.read(output);
    };
    const whole = await run(rows, "whole.jsonl", "whole.json");
    await run(rows.slice(0, 23), "parts.jsonl", "parts.json");
    expect(await run(rows.slice(23), "parts.jsonl", "parts.json")).toBe(whole);
    expect(statesIn(await dir.read("parts.json"))).toEqual(statesIn(await dir.read("whole.json")));
  });
});
