import { deepEqual } from "node:assert/strict";
import type { Message } from "@mqb/core/plugin";
import { CollectingPublisher } from "../../fakes/collecting-publisher.ts";
import { eventually } from "../../wait/eventually.ts";
import { stored, takesBack, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

const COUNT = 20;

export const handlers: readonly ConnectorScenario[] = [
  {
    name: "a message whose handler throws is delivered again, whatever it throws",
    leftOut: unless(takesBack, stored),
    async run(lab) {
      await lab.seed(lab.messages(COUNT));
      const failing = new Map<number, () => Message | Promise<Message>>([
        [1, () => fail(new Error("an error"))],
        [4, () => fail("a text")],
        [7, () => fail(null)],
        [11, () => Promise.reject(new Error("a rejection"))],
        [12, () => Promise.reject(undefined)],
      ]);
      const handler = (message: Message): Message | Promise<Message> => {
        const n = lab.number(message);
        const first = failing.get(n);
        failing.delete(n);
        return first ? first() : message;
      };
      const sink = new CollectingPublisher();
      const route = lab.routes.from(sink, { reconnect_interval_ms: 20, batch_size: 5, handler });
      await lab.soon(route.start(), "the start of the route");
      const arrived = () => new Set(sink.messages.map((message) => lab.number(message)));
      await eventually(() => arrived().size === COUNT, "every message at the sink", lab.patienceMs);
      await lab.soon(route.stop(), "the stop of the route");
      deepEqual([...failing.keys()], []);
    },
  },
];

function fail(thrown: unknown): never {
  throw thrown;
}
