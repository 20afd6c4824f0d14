import { batchOf, failed, MqbError } from "@mqb/core/plugin";
import { committing, type Faults, later, sink } from "./broken.ts";

export const publishFaults: Faults = {
  "stores in no order": {
    scenario: "sent one after another are stored in that order",
    in: "log",
    fault: {
      publisher: (inner) => ({
        ...sink(inner),
        send: (batch, signal) => inner.send(batchOf([...batch].reverse()), signal),
      }),
    },
  },
  "claims to take sends at the same time": {
    scenario: "sent at the same time arrive whole",
    in: "log",
    fault: { output: { orderedPublish: false } },
  },
  "claims to be idempotent": {
    scenario: "sent twice is stored once",
    fault: { output: { idempotent: true } },
  },
  "accepts before it has stored": {
    scenario: "there when send resolves",
    fault: {
      publisher(inner) {
        let closed = false;
        return {
          ...sink(inner),
          async send(batch, signal) {
            void later().then(() => (closed ? undefined : inner.send(batch, signal)));
            return undefined;
          },
          async close() {
            closed = true;
          },
        };
      },
    },
  },
  "fails a whole batch for one message": {
    scenario: "of a batch with one message that the sink refuses",
    fault: {
      publisher: (inner) => ({
        ...sink(inner),
        async send(batch, signal) {
          const bad = [...batch].some((message) => message.text() === "refuse me");
          if (!bad) return inner.send(batch, signal);
          return Array.from(batch, () => failed(new MqbError("MQB_TEST", "permanent", "a bad message")));
        },
      }),
    },
  },
  "says of the wrong message that it failed": {
    scenario: "of a batch with one message that the sink refuses",
    fault: {
      publisher: (inner) => ({
        ...sink(inner),
        async send(batch, signal) {
          const outcomes = await inner.send(batch, signal);
          return outcomes && [...outcomes.slice(1), outcomes[0]!];
        },
      }),
    },
  },
  "swallows a refused message": {
    scenario: "of a batch with one message that the sink refuses",
    fault: {
      publisher: (inner) => ({
        ...sink(inner),
        async send(batch, signal) {
          await inner.send(batch, signal);
          return undefined;
        },
      }),
    },
  },
  "gives replies that it does not declare": {
    scenario: "never gives a reply",
    fault: {
      publisher: (inner) => ({
        ...sink(inner),
        async send(batch, signal) {
          await inner.send(batch, signal);
          return Array.from(batch, (message) => ({ type: "replied" as const, message }));
        },
      }),
    },
  },
  "loses a batch of a route": {
    scenario: "a route brings everything",
    fault: {
      publisher(inner) {
        let sends = 0;
        return {
          ...sink(inner),
          send: async (batch, signal) => (++sends === 4 ? undefined : inner.send(batch, signal)),
        };
      },
    },
  },
};

export const replyFaults: Faults = {
  "loses replies": {
    scenario: "a reply reaches the one who sent",
    config: { replies: true },
    fault: { consumer: committing((commit) => commit()) },
  },
  "mixes replies up": {
    scenario: "a reply reaches the one who sent",
    config: { replies: true },
    fault: { consumer: committing((commit, dispositions) => commit(dispositions?.toReversed())) },
  },
  "fails at a reply that it cannot send": {
    scenario: "a reply counts as an ack",
    fault: {
      consumer: committing((commit, dispositions) =>
        commit(dispositions?.map((one) => (one.type === "reply" ? { type: "nack" as const } : one))),
      ),
    },
  },
};
