import { batchOf, type Delivery, Message, MqbError, type Outcome, type Plugin } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { ANY_CONFIG, type MiddlewareUnderTest, testMiddleware } from "../src/index.ts";
import { CapturedRunner } from "./support/captured-runner.ts";
import {
  filterConsumer,
  filterPublisher,
  type InputWrap,
  keptOf,
  middlewarePlugin,
  type OutputWrap,
  passConsumer,
  passPublisher,
} from "./support/middlewares.ts";

const removed = (n: number): Message => new Message(`unwanted ${n}`);
const none = undefined as never;

type Fault = { readonly scenario: string } & (
  | { readonly input: InputWrap; readonly removes?: true }
  | { readonly output: OutputWrap; readonly removes?: true }
  | { readonly plugin: Plugin }
);

/** A middleware with one fault, and the scenario that has to find it. */
const FAULTS: Record<string, Fault> = {
  "reverses a batch": {
    scenario: "on an input > passes a batch of 1024",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = await inner.receive(max, signal);
        return { batch: batchOf([...batch].reverse()), commit };
      },
    }),
  },
  "gives messages new ids": {
    scenario: "on an input > passes a batch of 1,",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = await inner.receive(max, signal);
        return { batch: batchOf(Array.from(batch, (m) => new Message(m.payload, m.metadata))), commit };
      },
    }),
  },
  "asks the source for more than it may give": {
    scenario: "gives at most as many messages",
    input: (inner) => ({ ...passConsumer(inner, none), receive: (max, signal) => inner.receive(max * 2, signal) }),
  },
  "reads over an empty batch": {
    scenario: "an empty batch is passed on",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const delivery = await inner.receive(max, signal);
        return delivery.batch.length > 0 ? delivery : inner.receive(max, signal);
      },
    }),
  },
  "keeps the commit of an empty batch to itself": {
    scenario: "an empty batch is passed on",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = await inner.receive(max, signal);
        return { batch, commit: async (d) => (batch.length > 0 ? commit(d) : undefined) };
      },
    }),
  },
  "forgets that a batch was emptied below it": {
    scenario: "stays marked as emptied",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = await inner.receive(max, signal);
        return { batch, commit };
      },
    }),
  },
  "copies payloads on an input": {
    scenario: "on an input > bytes in a slab stay where they are",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = await inner.receive(max, signal);
        return { batch: batchOf(Array.from(batch, (message) => message.detach())), commit };
      },
    }),
  },
  "acks what was nacked": {
    scenario: "dispositions reach the source",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = await inner.receive(max, signal);
        return { batch, commit: () => commit() };
      },
    }),
  },
  "turns a missing list of dispositions into nacks": {
    scenario: "a commit without dispositions acks",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = await inner.receive(max, signal);
        return { batch, commit: (d) => commit(d ?? Array.from(batch, () => ({ type: "nack" as const }))) };
      },
    }),
  },
  "commits what was received last, whatever is committed": {
    scenario: "in another order",
    input(inner) {
      const open: Delivery[] = [];
      return {
        ...passConsumer(inner, none),
        async receive(max, signal) {
          const delivery = await inner.receive(max, signal);
          open.push(delivery);
          return { batch: delivery.batch, commit: (d) => open.shift()!.commit(d) };
        },
      };
    },
  },
  "calls a batch that it empties the end": {
    scenario: "a batch that it empties is committed in its turn and is not the end",
    removes: true,
    input: (inner, context) => {
      const filter = filterConsumer(inner, context);
      return {
        ...filter,
        async receive(max, signal) {
          const { batch, commit } = await filter.receive(max, signal);
          return { batch, commit };
        },
      };
    },
  },
  "shifts dispositions when it takes messages out": {
    scenario: "the rest keeps its positions",
    removes: true,
    input: (inner, { accounting }) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const delivery = await inner.receive(max, signal);
        const batch = delivery.batch.select(keptOf(delivery.batch));
        accounting.settle("filtered", delivery.batch.length - batch.length);
        return {
          batch,
          commit: (d) => delivery.commit(d && Array.from(delivery.batch, (_, i) => d[i] ?? { type: "ack" as const })),
        };
      },
    }),
  },
  "does not account for what it takes out": {
    scenario: "is accounted for",
    removes: true,
    input: (inner, context) => filterConsumer(inner, { ...context, accounting: { settle: () => {} } as never }),
  },
  "wraps errors so that the kind is lost": {
    scenario: "a permanent error of the source",
    input: (inner) => ({
      ...passConsumer(inner, none),
      receive: (max, signal) =>
        inner.receive(max, signal).catch((error: Error) => {
          throw new MqbError("MQB_TEST_WRAP", "connection", error.message);
        }),
    }),
  },
  "swallows errors of commit": {
    scenario: "an error of the source's commit",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = await inner.receive(max, signal);
        return { batch, commit: (d) => commit(d).catch(() => {}) };
      },
    }),
  },
  "is dead after an error": {
    scenario: "receives again after an error",
    input(inner) {
      let failed: unknown;
      return {
        ...passConsumer(inner, none),
        async receive(max, signal) {
          if (failed) throw failed as Error;
          return inner.receive(max, signal).catch((error: unknown) => {
            failed = error;
            throw error;
          });
        },
      };
    },
  },
  "keeps the signal of a receive to itself": {
    scenario: "an abort of the signal ends a waiting receive",
    input: (inner) => ({
      ...passConsumer(inner, none),
      receive: (max, signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          inner.receive(max, new AbortController().signal).then(resolve, reject);
        }),
    }),
  },
  "loses what comes after an abort": {
    scenario: "receives again after an aborted receive",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const delivery = await inner.receive(max, signal);
        return signal.aborted ? delivery : { ...delivery, batch: delivery.batch.select(new Uint32Array(0)) };
      },
    }),
  },
  "hides the state of the source": {
    scenario: "passes the state of the source on",
    input: (inner) => ({ ...passConsumer(inner, none), status: () => ({ healthy: true, target: "queue-7" }) }),
  },
  "does not close the source": {
    scenario: "close reaches the source",
    input: (inner) => ({ ...passConsumer(inner, none), close: async () => {} }),
  },
  "leaves a timer behind": {
    scenario: "on an input > leaves no timer",
    input(inner, { clock }) {
      clock.timer(1000, () => {});
      return passConsumer(inner, none);
    },
  },
  "waits for a receive before it closes": {
    scenario: "close wakes a waiting receive",
    input(inner) {
      let receiving: Promise<unknown> = Promise.resolve();
      return {
        ...passConsumer(inner, none),
        receive(max, signal) {
          const delivery = inner.receive(max, signal);
          receiving = delivery;
          return delivery;
        },
        async close() {
          await receiving;
          await inner.close();
        },
      };
    },
  },
  "arms a timer per message on an input": {
    scenario: "on an input > arms no timer per message",
    input: (inner, { clock }) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const delivery = await inner.receive(max, signal);
        for (let i = 0; i < delivery.batch.length; i++) clock.timer(1000, () => {})();
        return delivery;
      },
    }),
  },
  "makes message objects on an input": {
    scenario: "on an input > makes no message objects",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const delivery = await inner.receive(max, signal);
        for (let i = 0; i < delivery.batch.length; i++) delivery.batch.at(i).text();
        return delivery;
      },
    }),
  },
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
  "makes connection errors permanent": {
    scenario: "a connection error of the sink",
    output: (inner) => ({
      ...passPublisher(inner, none),
      send: (batch, signal) =>
        inner.send(batch, signal).catch((error: Error) => {
          throw new MqbError("MQB_TEST_WRAP", "permanent", error.message);
        }),
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

describe("the suite of middlewares finds", () => {
  for (const [name, fault] of Object.entries(FAULTS)) {
    it(`one that ${name}`, async () => {
      const runner = new CapturedRunner();
      testMiddleware(runner, underTest(fault));
      const names = runner.named(fault.scenario);
      expect(names).toHaveLength(1);
      expect(await runner.failure(names[0]!)).toBeInstanceOf(Error);
    });
  }
});

function underTest(fault: Fault): MiddlewareUnderTest {
  if ("plugin" in fault) return { plugin: fault.plugin, middleware: "mw" };
  const { removes } = fault;
  const sides = "input" in fault ? { input: fault.input } : { output: fault.output };
  const plugin = middlewarePlugin(sides, removes ? { removes } : {});
  const tested = { plugin, middleware: "mw", patienceMs: 100 };
  return removes ? { ...tested, removed, looksInside: true } : tested;
}
