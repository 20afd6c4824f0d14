import { expect, it } from "vitest";
import { createBridge } from "../../src/bridge/bridge.ts";
import type { Logger } from "../../src/contract/log.ts";
import { createRegistry } from "../../src/plugin/registry.ts";
import { FakeLogger } from "../fakes/logger.ts";
import { middleware, plugin, sink } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";

const registry = createRegistry([
  plugin({
    endpoints: {
      sink: sink((_, { log }) => {
        log.info("from the sink");
        return new FakePublisher();
      }),
    },
    middlewares: {
      m: middleware({
        output: (inner, _, { log }) => {
          log.info("from the middleware");
          return inner;
        },
      }),
    },
  }),
]);
const ENDPOINT = { sink: {}, middlewares: [{ m: {} }] };

it("endpoints and middlewares log as the module of their key, where the host tells modules apart", async () => {
  const modules = new Map<string, FakeLogger>();
  const log: Logger = Object.assign(new FakeLogger(), {
    module(name: string) {
      const made = modules.get(name) ?? new FakeLogger();
      modules.set(name, made);
      return made;
    },
  });
  await createBridge({ registry, log }).openPublisher(ENDPOINT);
  expect(modules.get("sink")?.at("info")).toEqual(["from the sink"]);
  expect(modules.get("m")?.at("info")).toEqual(["from the middleware"]);
});

it("all log into the one log of a host that does not", async () => {
  const log = new FakeLogger();
  await createBridge({ registry, log }).openPublisher(ENDPOINT);
  expect(log.at("info")).toEqual(["from the sink", "from the middleware"]);
});
