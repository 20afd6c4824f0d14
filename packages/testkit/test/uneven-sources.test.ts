import type { Consumer } from "@mqb/core/plugin";
import { describe, it } from "vitest";
import { type ConnectorFixture, type Runner, testConnector } from "../src/index.ts";
import { source } from "./faults/broken.ts";
import { logPlugin } from "./support/log-connector.ts";
import { queuePlugin } from "./support/queue-connector.ts";

/** One message less than was asked for, and then as many as were, in turn: whatever is there at the moment. */
function uneven(inner: Consumer): Consumer {
  let isFull = true;
  return {
    ...source(inner),
    receive(max, signal) {
      isFull = !isFull;
      return inner.receive(isFull ? max : Math.max(1, max - 1), signal);
    },
  };
}

function fixture(): ConnectorFixture {
  let n = 0;
  return {
    async fresh() {
      const config = { topic: `uneven-${n++}` };
      return { input: config, output: config };
    },
    counts: true,
  };
}

/** Seconds of many messages say nothing about parts. */
const LONG = /ten thousand|memory does not grow|stands still/;
const runner: Runner = { describe, it: (name, ...rest) => !LONG.test(name) && it(name, ...rest) };
const config = { input: { topic: "any" }, output: { topic: "any" } };

describe("a source need not give as many at once as it is asked for", () => {
  testConnector(runner, { plugin: queuePlugin({ consumer: uneven }), endpoint: "queue", config, fixture: fixture() });
  testConnector(runner, { plugin: logPlugin({ consumer: uneven }), endpoint: "log", config, fixture: fixture() });
});
