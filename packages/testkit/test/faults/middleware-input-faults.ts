import { batchOf, type Consumer, type Delivery, Message, MqbError } from "@mqb/core/plugin";
import { filterConsumer, keptOf, passConsumer } from "../support/middlewares.ts";
import type { MiddlewareFaults } from "./middleware-fault.ts";

const none = undefined as never;

export const inputFaults: MiddlewareFaults = {
  "reverses a batch": {
    scenario: "on an input > passes a batch of 1024",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = bound(await inner.receive(max, signal));
        return { batch: batchOf([...batch].reverse()), commit };
      },
    }),
  },
  "gives messages new ids": {
    scenario: "on an input > passes a batch of 1,",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = bound(await inner.receive(max, signal));
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
        const { batch, commit } = bound(await inner.receive(max, signal));
        return { batch, commit: async (d) => (batch.length > 0 ? commit(d) : undefined) };
      },
    }),
  },
  "forgets that a batch was emptied below it": {
    scenario: "stays marked as emptied",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = bound(await inner.receive(max, signal));
        return { batch, commit };
      },
    }),
  },
  "copies payloads on an input": {
    scenario: "on an input > bytes in a slab stay where they are",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = bound(await inner.receive(max, signal));
        return { batch: batchOf(Array.from(batch, (message) => message.detach())), commit };
      },
    }),
  },
  "acks what was nacked": {
    scenario: "dispositions reach the source",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = bound(await inner.receive(max, signal));
        return { batch, commit: () => commit() };
      },
    }),
  },
  "turns a missing list of dispositions into nacks": {
    scenario: "a commit without dispositions acks",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = bound(await inner.receive(max, signal));
        return { batch, commit: (d) => commit(d ?? Array.from(batch, () => ({ type: "nack" as const }))) };
      },
    }),
  },
  "copies a delivery, and loses what belongs to its class": {
    scenario: "a commit without dispositions acks",
    input: (inner) => ({
      ...passConsumer(inner, undefined as never),
      async receive(max, signal) {
        return { ...(await inner.receive(max, signal)) };
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
          const { batch, commit } = bound(await filter.receive(max, signal));
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
  ...Object.fromEntries(
    (["connection", "permanent", "config", "end"] as const).map((kind) => [
      `wraps ${kind} errors so that the kind is lost`,
      {
        scenario: `error of kind ${kind} of the source`,
        input: (inner: Consumer) => ({
          ...passConsumer(inner, none),
          receive: (max: number, signal: AbortSignal) =>
            inner.receive(max, signal).catch((error: Error) => {
              throw new MqbError("MQB_TEST_WRAP", kind === "connection" ? "permanent" : "connection", error.message);
            }),
        }),
      },
    ]),
  ),
  "swallows errors of commit": {
    scenario: "an error of the source's commit",
    input: (inner) => ({
      ...passConsumer(inner, none),
      async receive(max, signal) {
        const { batch, commit } = bound(await inner.receive(max, signal));
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
};

/** A delivery whose commit may be taken off it. */
function bound(delivery: Delivery): Pick<Delivery, "batch" | "commit"> {
  return { batch: delivery.batch, commit: (dispositions) => delivery.commit(dispositions) };
}
