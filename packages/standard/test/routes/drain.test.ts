import { batchOf, Message } from "@mqb/core/plugin";
import { texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { run, setUp } from "./setup.ts";

it("takes exactly one batch from a static source", async () => {
  const { sink, bridge } = setUp();
  const config = { input: { static: "n${gen:counter}" }, output: { sink: {} }, batch_size: 3, exit_on_empty: true };
  expect(await run(bridge, "r", config)).toMatchObject({ outcome: "completed", accounting: { delivered: 3 } });
  expect(texts(sink.messages)).toEqual(["n0", "n1", "n2"]);
});

it("ends when everything is filtered out, and not before the last message was looked at", async () => {
  const { source, sink, bridge } = setUp();
  const drops = (count: number) => batchOf(Array.from({ length: count }, (_, i) => new Message(`drop ${i}`)));
  for (let i = 0; i < 20; i++) source.push(drops(10));
  source.push(batchOf([new Message("last")])).pushEmpty();
  const input = { source: {}, middlewares: [{ filter: "drop" }] };
  const result = await run(bridge, "r", { input, output: { sink: {} }, batch_size: 10, exit_on_empty: true });
  expect(result).toMatchObject({
    outcome: "completed",
    accounting: { received: 201, filtered: 200, delivered: 1, inFlight: 0 },
  });
  expect(texts(sink.messages)).toEqual(["last"]);
  expect(source.commits).toHaveLength(source.deliveries.length);
});

it("ends a route as failed at a message that the filter cannot read", async () => {
  for (const side of ["input", "output"] as const) {
    const { source, sink, bridge } = setUp();
    source.push(batchOf([new Message("a"), new Message("broken")])).pushEmpty();
    const filter = [{ filter: "drop" }];
    const config =
      side === "input"
        ? { input: { source: {}, middlewares: filter }, output: { sink: {} } }
        : { input: { source: {} }, output: { sink: {}, middlewares: filter } };
    const result = await run(bridge, "r", { ...config, exit_on_empty: true });
    expect(result).toMatchObject({ outcome: "failed", error: { code: "MQB_STANDARD_FILTER_FAILED" } });
    expect(source.commits.flatMap(({ dispositions }) => dispositions?.map(({ type }) => type) ?? [])).not.toContain(
      "ack",
    );
    expect(sink.messages).toEqual([]);
  }
});
