import {
  batchOf,
  definePlugin,
  type EndpointDefinition,
  type Message,
  type OpenContext,
  systemClock,
} from "@mqb/core/plugin";
import { FakeScope, fakeContext, testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import standard from "../../src/index.ts";
import { NEVER } from "../opened.ts";

/** The system that is tested is one bridge: whatever the suite opens meets in its topics. */
const scope = new FakeScope();
const inBridge = (context: OpenContext): OpenContext => ({ ...context, local: (key, make) => scope.local(key, make) });
const memory = standard.endpoints!["memory"]!;
const definition: EndpointDefinition = {
  ...memory,
  input: { ...memory.input!, open: (config, context) => memory.input!.open(config, inBridge(context)) },
  output: { ...memory.output!, open: (config, context) => memory.output!.open(config, inBridge(context)) },
};
const plugin = definePlugin({ ...standard, endpoints: { ...standard.endpoints, memory: definition } });

let topics = 0;

function place(input: object, output: object = {}) {
  const topic = `topic ${++topics}`;
  return {
    input: { topic, ...input },
    output: { topic, capacity: 1_000, ...output },
    async request(message: Message): Promise<Message> {
      const config = { memory: { topic, request_reply: true } };
      const context = fakeContext({ plugins: [standard], scope, clock: systemClock });
      const publisher = await context.openPublisher(config, "request");
      const [outcome] = (await publisher.send(batchOf([message]), NEVER)) ?? [];
      if (outcome?.type !== "replied") throw new Error("there was no answer");
      return outcome.message;
    },
  };
}

for (const enable_nack of [true, false]) {
  const input = { enable_nack };
  testConnector(
    { describe, it },
    {
      plugin,
      endpoint: "memory",
      config: place(input),
      fixture: {
        fresh: async () => place(input),
        narrow: { capacity: 1, fresh: async () => place(input, { capacity: 1 }) },
        bad: [
          { name: "an IPC address", side: "input", config: { topic: "ipc:///run/q.sock" } },
          { name: "no topic", side: "output", config: {} },
          { name: "no slots", side: "input", config: { topic: "t", capacity: 0 } },
        ],
      },
    },
  );
}
