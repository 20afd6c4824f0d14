import { batchOf, type MessageBatch, MqbError, type Outcome, type Publisher } from "@mqb/core/plugin";
import { ANY_CONFIG } from "../../src/index.ts";
import { filterPublisher, keptOf, middlewarePlugin, passPublisher } from "../support/middlewares.ts";
import type { MiddlewareFaults } from "./middleware-fault.ts";

const none = undefined as never;

export const outputFaults: MiddlewareFaults = {
  "cuts batches up": {
    scenario: "on an output > passes a batch of 1024",
    output: (inner) => ({
      ...passPublisher(inner, none),
      async send(batch, signal) {
        for (let i = 0; i < batch.length; i++) await inner.send(batch.select(Uint32Array.of(i)), signal);
        return undefined;
      },
    }),
  },
  "says nothing to an empty batch": {
    scenario: "an empty batch is answered at once",
    output: (inner) => ({
      ...passPublisher(inner, none),
      send: (batch, signal) => (batch.length > 0 ? inner.send(batch, signal) : Promise.reject(new Error("empty"))),
    }),
  },
  "copies payloads on an output": {
    scenario: "on an output > bytes in a slab stay where they are",
    output: (inner) => ({
      ...passPublisher(inner, none),
      send: (batch, signal) => inner.send(batchOf(Array.from(batch, (message) => message.detach())), signal),
    }),
  },
  "fails a whole batch for one message": {
    scenario: "the only one that is not accepted",
    output: (inner) => ({
      ...passPublisher(inner, none),
      async send(batch, signal) {
        const outcomes = await inner.send(batch, signal);
        const failed = outcomes?.find((outcome) => outcome.type === "failed");
        return failed ? Array.from(batch, () => failed) : outcomes;
      },
    }),
  },
  "swallows failures of messages": {
    scenario: "the only one that is not accepted",
    output: (inner) => ({
      ...passPublisher(inner, none),
      async send(batch, signal) {
        await inner.send(batch, signal);
        return undefined;
      },
    }),
  },
  "loses replies": {
    scenario: "replies of the sink come back",
    output: (inner) => ({
      ...passPublisher(inner, none),
      async send(batch, signal) {
        const outcomes = await inner.send(batch, signal);
        return outcomes?.map((outcome): Outcome => (outcome.type === "replied" ? { type: "accepted" } : outcome));
      },
    }),
  },
  "shifts outcomes when it takes messages out": {
    scenario: "keeps its position among the outcomes",
    removes: true,
    output: (inner) => ({
      ...passPublisher(inner, none),
      async send(batch, signal) {
        const outcomes = await inner.send(batch.select(keptOf(batch)), signal);
        return Array.from(batch, (_, i) => outcomes?.[i] ?? { type: "filtered" as const });
      },
    }),
  },
  "sends an emptied batch on as if nothing were": {
    scenario: "a batch that it empties is a success",
    removes: true,
    output: (inner, context) => {
      const filter = filterPublisher(inner, context);
      return {
        ...filter,
        send: (batch, signal) => (keptOf(batch).length === 0 ? inner.send(batch, signal) : filter.send(batch, signal)),
      };
    },
  },
  ...Object.fromEntries(
    (["connection", "config"] as const).map((kind) => [
      `makes ${kind} errors permanent`,
      {
        scenario: `error of kind ${kind} of the sink`,
        output: (inner: Publisher) => ({
          ...passPublisher(inner, none),
          send: (batch: MessageBatch, signal: AbortSignal) =>
            inner.send(batch, signal).catch((error: Error) => {
              throw new MqbError("MQB_TEST_WRAP", "permanent", error.message);
            }),
        }),
      },
    ]),
  ),
  "loses a message that comes alone": {
    scenario: "on an output > passes a batch of 1,",
    output: (inner) => ({
      ...passPublisher(inner, none),
      send: async (batch, signal) => (batch.length > 1 ? inner.send(batch, signal) : undefined),
    }),
  },
  "calls an error that stays a success": {
    scenario: "is never called a success",
    output: (inner) => ({
      ...passPublisher(inner, none),
      async send(batch, signal) {
        for (let i = 0; i < 3; i++) if (!(await inner.send(batch, signal))) break;
        return undefined;
      },
    }),
  },
  "sends nothing after an error": {
    scenario: "sends again after an error",
    output(inner) {
      let failed = false;
      return {
        ...passPublisher(inner, none),
        async send(batch, signal) {
          if (failed) return undefined;
          try {
            return await inner.send(batch, signal);
          } catch (error) {
            failed = true;
            throw error;
          }
        },
      };
    },
  },
  "keeps the signal of a send to itself": {
    scenario: "ends a send that waits for the sink",
    output: (inner) => ({
      ...passPublisher(inner, none),
      send: (batch, signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          inner.send(batch, new AbortController().signal).then(resolve, reject);
        }),
    }),
  },
  "hides the state of the sink": {
    scenario: "passes the state of the sink on",
    output: (inner) => {
      const { status: _, ...rest } = passPublisher(inner, none);
      return rest;
    },
  },
  "does not flush": {
    scenario: "passes flush on",
    output: (inner) => {
      const { flush: _, ...rest } = passPublisher(inner, none);
      return rest;
    },
  },
  "mixes up batches of the same time": {
    scenario: "keep their outcomes apart",
    output(inner) {
      let last: readonly Outcome[] | undefined;
      return {
        ...passPublisher(inner, none),
        async send(batch, signal) {
          last = await inner.send(batch, signal);
          await new Promise((resolve) => setImmediate(resolve));
          return last;
        },
      };
    },
  },
  "does not close the sink": {
    scenario: "close reaches the sink",
    output: (inner) => ({ ...passPublisher(inner, none), close: async () => {} }),
  },
  "leaves a timer of an output behind": {
    scenario: "on an output > leaves no timer",
    output: (inner, { clock }) => ({
      ...passPublisher(inner, none),
      async send(batch, signal) {
        clock.timer(1000, () => {});
        return inner.send(batch, signal);
      },
    }),
  },
  "arms a timer per message on an output": {
    scenario: "on an output > arms no timer per message",
    output: (inner, { clock }) => ({
      ...passPublisher(inner, none),
      async send(batch, signal) {
        const cancel = Array.from({ length: batch.length }, () => clock.timer(1000, () => {}));
        const outcomes = await inner.send(batch, signal);
        for (const one of cancel) one();
        return outcomes;
      },
    }),
  },
  "makes message objects on an output": {
    scenario: "on an output > makes no message objects",
    output: (inner) => ({
      ...passPublisher(inner, none),
      async send(batch, signal) {
        for (const message of batch) if (message.metadata.size > 100) throw new Error("too much metadata");
        return inner.send(batch, signal);
      },
    }),
  },
  "takes any key of its configuration": {
    scenario: "an unknown key",
    plugin: middlewarePlugin({ output: passPublisher }, { schema: ANY_CONFIG as never }),
  },
};
