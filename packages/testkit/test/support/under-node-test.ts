/** Run by `node --test`: the suites take its runner as they take vitest's. */
import { describe, it } from "node:test";
import { type Runner, testConnector, testMiddleware } from "../../src/index.ts";
import { middlewarePlugin, passConsumer, passPublisher } from "./middlewares.ts";
import { queuePlugin } from "./queue-connector.ts";

let n = 0;
const config = { topic: "any" };

testMiddleware(
  { describe, it },
  { plugin: middlewarePlugin({ input: passConsumer, output: passPublisher }), middleware: "mw" },
);

// Enough to see that the runner fits; every scenario is run under vitest.
const some: Runner = {
  describe,
  it(name, options, body) {
    if (/acked|nacked|sent|leaves no|left out/.test(name)) void it(name, options, body);
  },
};

testConnector(some, {
  plugin: queuePlugin(process.env["BROKEN"] ? { output: { idempotent: true } } : {}),
  endpoint: "queue",
  config: { input: config, output: config },
  fixture: {
    patienceMs: process.env["BROKEN"] ? 1000 : 10_000,
    async fresh() {
      const place = { topic: `topic ${n++}` };
      return { input: place, output: place };
    },
  },
});
