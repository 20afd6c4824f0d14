import { describe, expect, it } from "vitest";
import { failed } from "../../src/contract/disposition.ts";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { batchOf } from "../../src/message/batch.ts";
import { Message } from "../../src/message/message.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { type HarnessOptions, harness, runToEnd } from "../fakes/harness.ts";
import { middleware } from "../fakes/plugin.ts";
import { FakePublisher, type Send } from "../fakes/publisher.ts";

const refuses: Send = (_, call) =>
  call > 1 ? undefined : [failed(new MqbError("MQB_FAKE_LATER", "retryable", "later"))];

/** What a route does with one batch, in order. */
async function eventsOf(options: HarnessOptions<FakeConsumer, FakePublisher> & { readonly send?: Send }) {
  const events: string[] = [];
  const consumer: FakeConsumer = new FakeConsumer(
    [() => consumer.deliverBatch(batchOf([new Message("a")]), { release: () => void events.push("release") })],
    { ends: true },
  );
  consumer.onCommit = ({ texts }) => void (texts.length > 0 && events.push("commit"));
  const publisher = new FakePublisher(options.send);
  const output = { keepsNothing: true, ...options.output };
  const route = { exit_on_empty: true, ...options.route };
  await runToEnd(harness({ ...options, consumer, publisher, output, route }));
  return events;
}

describe("the memory of a batch", () => {
  it("is given back behind its commit where only a sink that keeps nothing has seen it", async () => {
    expect(await eventsOf({})).toEqual(["commit", "release"]);
  });

  it("is not given back where the sink may keep something", async () => {
    expect(await eventsOf({ output: { keepsNothing: false } })).toEqual(["commit"]);
  });

  it("is not given back of what returns to the source", async () => {
    expect(await eventsOf({ send: refuses })).toEqual(["commit"]);
  });

  it.each(["input", "output"] as const)("is not given back where a middleware of the %s has seen it", async (side) => {
    const passing = middleware({ input: (inner) => inner, output: (inner) => inner });
    const kind = side === "input" ? "source" : "sink";
    const route = { [side]: { [kind]: {}, middlewares: [{ passing: {} }] } };
    expect(await eventsOf({ middlewares: { passing }, route })).toEqual(["commit"]);
  });

  it("is known to a middleware to be kept below it where one in between may keep it", async () => {
    const seen: unknown[] = [];
    const looking = middleware({
      keepsNothing: true,
      output(inner, _, { below }) {
        seen.push(below.keepsNothing);
        return inner;
      },
    });
    const keeping = middleware({ output: (inner) => inner });
    for (const list of [[{ looking: {} }], [{ looking: {} }, { keeping: {} }], [{ keeping: {} }, { looking: {} }]])
      await eventsOf({ middlewares: { looking, keeping }, route: { output: { sink: {}, middlewares: list } } });
    expect(seen).toEqual([true, true, false]);
  });

  it("is not given back where a handler has seen it", async () => {
    expect(await eventsOf({ run: { handler: (message) => message } })).toEqual(["commit"]);
  });
});
