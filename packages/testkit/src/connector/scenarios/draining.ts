import { deepEqual, equal, ok } from "node:assert/strict";
import type { RouteResult } from "@mqb/core";
import { describeError } from "@mqb/core/plugin";
import { CollectingPublisher } from "../../fakes/collecting-publisher.ts";
import { dropping } from "../../fakes/dropping.ts";
import type { ConnectorLab } from "../lab.ts";
import { acknowledges, input, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

const DRAIN = { exit_on_empty: true, concurrency: 4, batch_size: 64 };

export const draining: readonly ConnectorScenario[] = [
  {
    name: "a route drains the source to the last message",
    leftOut: unless(input, stored),
    async run(lab) {
      await lab.seed(lab.messages(1000));
      const sink = new CollectingPublisher();
      const result = await drain(lab, sink);
      const numbers = new Set(sink.messages.map((message) => lab.number(message)));
      const missing = Array.from({ length: 1000 }, (_, n) => n).filter((n) => !numbers.has(n));
      deepEqual(missing, [], "these messages did not arrive");
      equal(result.accounting.inFlight, 0);
      ok(result.accounting.received >= 1000);
    },
  },
  {
    name: "a drain commits everything that it has delivered",
    leftOut: unless(acknowledges, stored),
    async run(lab) {
      await lab.seed(lab.messages(300));
      await drain(lab, new CollectingPublisher());
      deepEqual(await lab.rest(), []);
    },
  },
  {
    name: "a drain of a source with nothing left ends",
    leftOut: unless(acknowledges, stored),
    async run(lab) {
      await lab.seed(lab.messages(3));
      await drain(lab, new CollectingPublisher());
      const sink = new CollectingPublisher();
      await drain(lab, sink);
      deepEqual(sink.messages, []);
    },
  },
  {
    name: "batches that a middleware empties are committed and do not end a drain",
    leftOut: unless(acknowledges, stored),
    async run(lab) {
      await lab.seed(lab.messages(100));
      const sink = new CollectingPublisher();
      const kept = new Set([50, 99]);
      const result = await lab.soon(
        runDropping(lab, sink, (n) => !kept.has(n)),
        "the drain",
      );
      equal(result.outcome, "completed", describeError(result.error));
      deepEqual([...new Set(sink.messages.map((message) => lab.number(message)))].sort(), [50, 99]);
      deepEqual(await lab.rest(), [], "what was dropped is acked");
    },
  },
];

async function drain(lab: ConnectorLab, sink: CollectingPublisher): Promise<RouteResult> {
  const route = lab.routes.from(sink, DRAIN);
  await lab.soon(route.start(), "the start of the route");
  const result = await lab.soon(route.done, "the end of the drain");
  equal(result.outcome, "completed", describeError(result.error));
  return result;
}

/** Drains with a middleware on the input that drops messages by their number. */
async function runDropping(
  lab: ConnectorLab,
  sink: CollectingPublisher,
  drops: (n: number) => boolean,
): Promise<RouteResult> {
  const middlewares = { testkit_drop: dropping((message) => drops(lab.number(message))) };
  const route = lab.routes.from(
    sink,
    { ...DRAIN, batch_size: 8, middlewares: [{ testkit_drop: {} }] },
    { middlewares },
  );
  await route.start();
  return route.done;
}
