import { describe, expect, it } from "vitest";
import { type Place, testConnector } from "../src/index.ts";
import { CapturedRunner } from "./support/captured-runner.ts";
import { Listening } from "./support/listening.ts";
import { livePlugin } from "./support/live-connector.ts";
import { type QueueConfig, queuePlugin } from "./support/queue-connector.ts";
import { Topic } from "./support/topic.ts";

let n = 0;
const config = { topic: "any" };

describe("with a system that keeps nothing while nobody reads,", () => {
  testConnector(
    { describe, it },
    {
      plugin: livePlugin(),
      endpoint: "live",
      config: { input: config, output: config },
      fixture: {
        live: true,
        async fresh() {
          const place = { topic: `live ${n++}` };
          return { input: place, output: place };
        },
      },
    },
  );
});

describe("with a source only, which the fixture fills,", () => {
  testConnector(
    { describe, it },
    { plugin: queuePlugin(), endpoint: "queue", config: { input: config }, fixture: { fresh: oneSided("input") } },
  );
});

describe("with a sink only, which the fixture reads,", () => {
  testConnector(
    { describe, it },
    { plugin: queuePlugin(), endpoint: "queue", config: { output: config }, fixture: { fresh: oneSided("output") } },
  );
});

describe("with a source that listens,", () => {
  const listening = new Listening(false);
  const place = () => ({ input: { topic: `listening ${n++}` } });
  const named = (name: string): boolean => name.startsWith("clients that are connected");
  testConnector(
    { describe, it: (name, options, body) => named(name) && it(name, options, body) },
    {
      plugin: queuePlugin(listening.fault),
      endpoint: "queue",
      config: place(),
      fixture: { fresh: async () => place(), listens: listening.address },
    },
  );
});

describe("testConnector refuses", () => {
  const fixture = { fresh: async () => ({}) };

  it("an endpoint that the plugin has not", () => {
    const register = () =>
      testConnector(new CapturedRunner(), {
        plugin: queuePlugin(),
        endpoint: "stack",
        config: { input: config },
        fixture,
      });
    expect(register).toThrow('reference has no endpoint "stack"');
  });

  it("a configuration that the endpoint refuses", () => {
    const register = () =>
      testConnector(new CapturedRunner(), {
        plugin: queuePlugin(),
        endpoint: "queue",
        config: { input: { topik: "any" } },
        fixture,
      });
    expect(register).toThrow(/the input configuration of the test of "queue" is refused: .*topik/);
  });

  it("no side at all", () => {
    const register = () =>
      testConnector(new CapturedRunner(), { plugin: queuePlugin(), endpoint: "queue", config: {}, fixture });
    expect(register).toThrow("neither input nor output");
  });
});

/** Places whose topics are outside of the process, as those of a server are. */
function oneSided(side: "input" | "output"): () => Promise<Place> {
  return async () => {
    const server = new Topic();
    const place: QueueConfig = { topic: `one-sided ${n++}`, server };
    if (side === "output") return { output: place, read: async () => server.waiting.map(({ message }) => message) };
    return {
      input: place,
      async seed(messages) {
        for (const message of messages) server.put({ message });
      },
    };
  };
}
