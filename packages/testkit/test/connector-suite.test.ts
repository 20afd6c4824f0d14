import { Message } from "@mqb/core/plugin";
import { describe, it } from "vitest";
import { type ConnectorFixture, testConnector } from "../src/index.ts";
import { logPlugin } from "./support/log-connector.ts";
import { queuePlugin } from "./support/queue-connector.ts";

const keyed = (message: Message, key: string): Message => message.with({ metadata: [["key", key]] });

const fixture = (more: object = {}): ConnectorFixture => {
  let n = 0;
  return {
    async fresh() {
      const config = { topic: `topic-${n++}`, password: "geheim-7", ...more };
      return { input: config, output: config };
    },
    refused: () => new Message("refuse me"),
    keyed,
    counts: true,
    bad: [
      { name: "no topic", side: "input", config: { topic: "" } },
      { name: "topic of the wrong type", side: "output", config: { topic: 7 } },
    ],
    narrow: {
      capacity: 3,
      async fresh() {
        const config = { topic: `narrow-${n++}`, capacity: 3 };
        return { input: config, output: config };
      },
    },
  };
};

const config = { topic: "any" };

testConnector(
  { describe, it },
  { plugin: queuePlugin(), endpoint: "queue", config: { input: config, output: config }, fixture: fixture() },
);

testConnector(
  { describe, it },
  {
    plugin: logPlugin(),
    endpoint: "log",
    config: { input: config, output: config },
    fixture: { fresh: fixture().fresh, keyed, counts: true },
  },
);
