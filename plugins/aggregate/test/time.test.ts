import { FakeClock } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { readTime } from "../src/time.ts";
import { batchFrom, byK, contextWith, folded, never, opened, results } from "./folding.ts";

const T = 1_700_000_000;

describe("times of messages", () => {
  it.each([
    ["1700000000", T],
    ["1700000000000", T],
    ["100000000000", 100_000_000_000],
    ["100000000001", 100_000_000.001],
    ["1700000000.25", T + 0.25],
    ["-5", -5],
    [" 1700000000 ", T],
    ["2023-11-14T22:13:20Z", T],
    ["2023-11-14T22:13:20", T],
    ["2023-11-14t22:13:20z", T],
    ["2023-11-14 22:13:20", T],
    ["2023-11-14T23:13:20.5+01:00", T + 0.5],
    ["2023-11-14T20:43:20-01:30", T],
    ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29) / 1000],
    ["0001-01-01T00:00:00Z", Date.parse("0001-01-01T00:00:00Z") / 1000],
  ])("%s", (text, seconds) => {
    expect(readTime(text)).toBe(seconds);
  });

  it.each([
    "",
    "x",
    "2023-02-29T00:00:00Z",
    "2023-13-01T00:00:00Z",
    "2023-11-14T24:00:00Z",
    "1e999",
    "2023-11-14",
    "2023-11-14T22:13:20+0100",
  ])("%s is none", (text) => {
    expect(readTime(text)).toBeUndefined();
  });
});

const row = (seconds: number | string, v = 1): string => `{"k":1,"t":${seconds},"v":${v}}`;
const timed = { ...byK, time: "t" };
const fading = { dc: "decayed_count(1m)", ds: "decayed_sum(v, 1m)", e: "ema(v, 1m)", es: "ema_variance(v, 1m)" };

describe("aggregates over time", () => {
  it("fade by the time between two messages", async () => {
    expect(await results({ ...timed, fields: { c: "decayed_count(1m)" } }, [row(0), row(60), row(180)])).toEqual([
      '{"c":1.0}',
      '{"c":1.5}',
      '{"c":1.375}',
    ]);
  });

  it("end up the same whatever order the messages arrive in", async () => {
    const rows = [row(0, 5), row(60, 1), row(120, 8), row(90, 2), row(180, 3)];
    const last = async (order: readonly number[]): Promise<Record<string, number>> =>
      JSON.parse(
        (
          await results(
            { ...timed, fields: fading },
            order.map((i) => rows[i]!),
          )
        ).at(-1)!,
      ) as never;
    const inOrder = await last([0, 1, 3, 2, 4]);
    for (const order of [
      [4, 3, 2, 1, 0],
      [2, 0, 4, 1, 3],
      [0, 4, 1, 2, 3],
    ]) {
      const other = await last(order);
      for (const [name, value] of Object.entries(inOrder)) expect(other[name], name).toBeCloseTo(value, 10);
    }
  });

  it("mark a message that is older than the newest of its key, keep the last value, and warn once", async () => {
    const { publisher, sink, context } = await opened({
      ...timed,
      fields: { la: "last(v)" },
      entries: [
        { key: "${payload:k}", into: "b.c", fields: { n: "count" } },
        { key: "${payload:k}", into: "x", expression: "v" },
      ],
    });
    await publisher.send(batchFrom([row(60, 1), row(0, 2), row(59, 3), row(60, 4)]), never);
    expect(sink.messages.map((message) => message.metadata.get("mqb.aggregate.late"))).toEqual([
      undefined,
      "a,b.c",
      "a,b.c",
      undefined,
    ]);
    expect(sink.messages.map((message) => /"la":([\d.]+)/.exec(message.text())![1])).toEqual([
      "1.0",
      "1.0",
      "1.0",
      "4.0",
    ]);
    expect(context.log.entries.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  it("take a message that says so for the newest, and set the clock to its time", async () => {
    const { publisher, sink } = await opened({ ...timed, fields: { la: "last(v)", c: "decayed_count(1m)" } });
    await publisher.send(batchFrom([row(9_000_000_000, 1)]), never);
    await publisher.send(batchFrom([row(60, 2)], { "mqb.aggregate.overwrite": "true" }), never);
    await publisher.send(batchFrom([row(120, 3)]), never);
    expect(sink.messages.map((message) => message.text().slice(-26))).toEqual([
      expect.stringContaining('{"c":1.0,"la":1.0}'),
      expect.stringContaining('{"c":2.0,"la":2.0}'),
      expect.stringContaining('{"c":2.0,"la":3.0}'),
    ]);
    expect(sink.messages[2]!.metadata.has("mqb.aggregate.late")).toBe(false);
  });

  it("go by the clock without `time`, and a clock that is set back makes nothing late", async () => {
    const clock = new FakeClock(1000 * T);
    const { publisher, sink, context } = await opened(
      { ...byK, fields: { c: "decayed_count(1m)" } },
      contextWith({ clock }),
    );
    const send = () => publisher.send(batchFrom(['{"k":1}']), never);
    await send();
    await clock.advance(60_000);
    await send();
    clock.now = () => 1000 * T;
    await send();
    expect(sink.messages.map((message) => message.text())).toEqual([
      '{"k":1,"a":{"c":1.0}}',
      '{"k":1,"a":{"c":1.5}}',
      '{"k":1,"a":{"c":2.5}}',
    ]);
    expect(context.log.entries).toEqual([]);
  });

  it("show the activity before a message, faded to its time, with `emit: previous`", async () => {
    const fields = { c: "decayed_count(1m)", n: "count" };
    expect(await results({ ...timed, emit: "previous", fields }, [row(0), row(60), row(180)])).toEqual([
      "null",
      '{"c":0.5,"n":1}',
      '{"c":0.375,"n":2}',
    ]);
  });

  it("need the time of each message", async () => {
    const rows = [row(0), '{"k":1,"v":1}', row('"soon"'), row(1)];
    expect(await folded({ ...timed, fields: { n: "count" } }, rows)).toEqual([
      '{"k":1,"t":0,"v":1,"a":{"n":1}}',
      "aggregate cannot fold the message: the field t is missing or no time",
      "aggregate cannot fold the message: the field t is missing or no time",
      '{"k":1,"t":1,"v":1,"a":{"n":2}}',
    ]);
    // An expression does without.
    expect(await results({ ...timed, expression: "v" }, ['{"k":1,"v":1}'])).toEqual(["1"]);
  });
});
