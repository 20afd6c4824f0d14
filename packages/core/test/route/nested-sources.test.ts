import { describe, expect, it } from "vitest";
import type { MiddlewareDefinition } from "../../src/contract/definition.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { harness, runToEnd } from "../fakes/harness.ts";
import { INPUT, middleware, OUTPUT, source } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";

/** Takes everything but the first message out of each batch. */
const first: MiddlewareDefinition = middleware({
  input: (inner, _, { accounting }) => ({
    receive: async (max, signal) => {
      const delivery = await inner.receive(max, signal);
      const { batch } = delivery;
      if (batch.length === 0) return delivery;
      accounting.settle("filtered", batch.length - 1);
      return { batch: batch.select(Uint32Array.of(0)), commit: () => delivery.commit() };
    },
    close: () => inner.close(),
  }),
});

describe("what a middleware takes out of a source inside another one", () => {
  it("is received and filtered, and the rest is received when the outer source hands it on", async () => {
    const h = harness({
      consumer: new FakeConsumer([["a", "b", "c"], ["d"]], { ends: true }),
      middlewares: { first },
      endpoints: {
        outer: {
          ...source(() => new FakeConsumer()),
          input: {
            capabilities: () => INPUT,
            open: (_, context) => context.openConsumer({ source: {}, middlewares: ["first"] }, "from"),
          },
        },
      },
      route: { exit_on_empty: true, input: { outer: {} } },
    });
    const { accounting } = await runToEnd(h);
    expect(h.publisher.texts).toEqual(["a", "d"]);
    expect(accounting).toMatchObject({ received: 4, delivered: 2, filtered: 2, nacked: 0, inFlight: 0 });
  });

  it("is no message of the route when an output reads it on the side", async () => {
    const aside = new FakeConsumer([["x", "y", "z"]], { ends: true });
    const opened: FakePublisher[] = [];
    const h = harness({
      consumer: new FakeConsumer([["a"]], { ends: true }),
      middlewares: { first },
      endpoints: {
        aside: source(() => aside),
        reader: {
          description: "",
          schema: { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }) } },
          output: {
            capabilities: () => OUTPUT,
            open: async (_, context) => {
              const inner = await context.openConsumer({ aside: {}, middlewares: ["first"] }, "from");
              const publisher = new FakePublisher(async (_batch, _call, signal) => {
                await inner.receive(10, signal);
                return undefined;
              });
              opened.push(publisher);
              return publisher;
            },
          },
        },
      },
      route: { exit_on_empty: true, output: { reader: {} } },
    });
    const { accounting } = await runToEnd(h);
    expect(opened[0]!.texts).toEqual(["a"]);
    expect(accounting).toMatchObject({ received: 1, delivered: 1, filtered: 0, inFlight: 0 });
  });
});
