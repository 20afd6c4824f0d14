import { batchOf, type Delivery, type Message } from "@mqb/core/plugin";
import { committing, type Faults, source } from "./broken.ts";

export const ackFaults: Faults = {
  "does not ack": {
    scenario: "not delivered again after the source is opened anew",
    fault: { consumer: committing(async () => {}) },
  },
  "acks only without dispositions": {
    scenario: "an ack for each message is the same",
    fault: { consumer: committing(async (commit, dispositions) => (dispositions ? undefined : commit())) },
  },
  "commits everything that it has handed out": {
    scenario: "of a source that is read on, only what is not acked",
    fault: {
      consumer(inner) {
        const open: Delivery["commit"][] = [];
        return {
          ...source(inner),
          async receive(max, signal) {
            const { batch, commit } = await inner.receive(max, signal);
            for (const earlier of open.splice(0)) await earlier();
            open.push(commit);
            return { batch, commit: async () => {} };
          },
          async close() {
            for (const earlier of open.splice(0)) await earlier();
            await inner.close();
          },
        };
      },
    },
  },
  "takes a nack for an ack": {
    scenario: "a nacked message is delivered again",
    fault: { consumer: committing((commit) => commit()) },
  },
  "takes the nack of a failed handler for an ack": {
    scenario: "a message whose handler throws",
    fault: { consumer: committing((commit) => commit()) },
  },
  "nacks a whole batch for one message": {
    scenario: "a nack does not bring back what was acked before it",
    fault: {
      consumer(inner) {
        const acked: Message[] = [];
        const again: Message[] = [];
        return {
          ...source(inner),
          async receive(max, signal) {
            if (again.length > 0) return { batch: batchOf(again.splice(0)), commit: async () => {} };
            const { batch, commit } = await inner.receive(max, signal);
            return {
              batch,
              async commit(dispositions) {
                if (dispositions?.some((one) => one.type === "nack")) again.push(...acked);
                else acked.push(...batch);
                await commit(dispositions);
              },
            };
          },
        };
      },
    },
  },
  "gives the first of a nacked batch back": {
    scenario: "nacked as a whole is delivered again as a whole",
    fault: {
      consumer: committing((commit, dispositions) =>
        commit(dispositions?.map((one, i) => (i === 0 ? one : { type: "ack" as const }))),
      ),
    },
  },
  "turns the order of nacked messages around": {
    scenario: "come back in that order",
    fault: {
      input: { commitsInOrder: true },
      consumer(inner) {
        const again: Message[] = [];
        return {
          ...source(inner),
          async receive(max, signal) {
            if (again.length > 0) return { batch: batchOf(again.splice(0).reverse()), commit: async () => {} };
            const { batch, commit } = await inner.receive(max, signal);
            return {
              batch,
              async commit(dispositions) {
                again.push(...[...batch].filter((_, i) => dispositions?.[i]?.type === "nack"));
                await commit();
              },
            };
          },
        };
      },
    },
  },
  "moves its position over a nack": {
    scenario: "an ack of later messages does not skip a nacked one",
    in: "log",
    fault: {
      consumer: committing((commit, dispositions) => (dispositions ? Promise.resolve() : commit())),
    },
  },
  "acks on receipt": {
    scenario: "comes back after a reconnect",
    fault: {
      consumer: (inner) => ({
        ...source(inner),
        async receive(max, signal) {
          const { batch, commit } = await inner.receive(max, signal);
          await commit();
          return { batch, commit: async () => {} };
        },
      }),
    },
  },
  "remembers in the session what it should remember at the source": {
    scenario: "comes back in a new process",
    fault: {
      consumer: (inner, { session }) => ({
        ...source(inner),
        async receive(max, signal) {
          const kept = (session.get("uncommitted") ?? []) as Message[];
          if (kept.length > 0) return { batch: batchOf(kept.splice(0)), commit: async () => {} };
          const { batch, commit } = await inner.receive(max, signal);
          await commit();
          session.set("uncommitted", [...kept, ...batch]);
          return { batch, commit: async () => void session.delete("uncommitted") };
        },
      }),
    },
  },
  "gives the same messages until they are committed": {
    scenario: "not given to a second receive",
    fault: {
      consumer(inner) {
        let open: Delivery | undefined;
        return {
          ...source(inner),
          async receive(max, signal) {
            open ??= await inner.receive(max, signal);
            const { batch, commit } = open;
            return { batch, commit };
          },
        };
      },
    },
  },
};
