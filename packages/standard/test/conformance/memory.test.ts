import { batchOf, type Message, type OpenContext } from "@mqb/core/plugin";
import { testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import standard from "../../src/index.ts";
import { NEVER } from "../opened.ts";

/** A topic; each test has a bridge of its own, so all may have the same name. */
function place(input: object, output: object = {}) {
  return {
    input: { topic: "t", ...input },
    output: { topic: "t", capacity: 1_000, ...output },
    async request(message: Message, context: OpenContext): Promise<Message> {
      const publisher = await context.openPublisher({ memory: { topic: "t", request_reply: true } }, "request");
      const [outcome] = (await publisher.send(batchOf([message]), NEVER)) ?? [];
      if (outcome?.type !== "replied") throw new Error("there was no answer");
      return outcome.message;
    },
  };
}

const WAYS = [{ enable_nack: true }, { enable_nack: false }, { subscribe_mode: true, enable_nack: true }];

for (const input of WAYS) {
  describe(`read with ${JSON.stringify(input)}`, () => {
    testConnector(
      { describe, it },
      {
        plugin: standard,
        endpoint: "memory",
        config: place(input),
        fixture: {
          fresh: async () => place(input),
          narrow: { capacity: 1, fresh: async () => place(input, { capacity: 1 }) },
          bad: [
            { name: "an unknown transport", side: "input", config: { topic: "http://h/q" } },
            { name: "no topic", side: "output", config: {} },
            { name: "no slots", side: "input", config: { topic: "t", capacity: 0 } },
          ],
        },
      },
    );
  });
}
