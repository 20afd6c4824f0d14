import { batchOf, type Delivery } from "@mqb/core/plugin";
import { committing, type Faults, later, source } from "./broken.ts";

export const orderFaults: Faults = {
  "hands out in no order": {
    scenario: "in the order in which they were sent",
    in: "log",
    fault: {
      consumer: (inner) => ({
        ...source(inner),
        async receive(max, signal) {
          const { batch, commit } = await inner.receive(max, signal);
          return { batch: batchOf([...batch].reverse()), commit };
        },
      }),
    },
  },
  "commits up to where it has read": {
    scenario: "a commit in order covers what it names and nothing after it",
    in: "log",
    fault: {
      consumer(inner) {
        let last: Delivery["commit"] = async () => {};
        return {
          ...source(inner),
          async receive(max, signal) {
            const { batch, commit } = await inner.receive(max, signal);
            last = commit;
            return { batch, commit: (dispositions) => last(dispositions) };
          },
        };
      },
    },
  },
  "commits a position although it claims any order": {
    scenario: "committed in any order, each for itself",
    in: "log",
    fault: { input: { commitsInOrder: false } },
  },
  "mixes commits of the same time up": {
    scenario: "deliveries are committed at the same time",
    fault: {
      consumer(inner) {
        let busy = false;
        return committing(async (commit, dispositions) => {
          if (busy) return;
          busy = true;
          await later();
          await commit(dispositions);
          busy = false;
        })(inner);
      },
    },
  },
  "commits early": {
    scenario: "a message that the sink has not accepted is not committed",
    fault: {
      consumer(inner) {
        const open: Delivery["commit"][] = [];
        return {
          ...source(inner),
          async receive(max, signal) {
            const { batch, commit } = await inner.receive(max, signal);
            open.push(commit);
            return {
              batch,
              async commit() {
                for (const one of open.splice(0)) await one();
              },
            };
          },
        };
      },
    },
  },
};

export const drainFaults: Faults = {
  "ends a drain before the end": {
    scenario: "drains the source to the last message",
    fault: {
      consumer(inner, { draining }) {
        let received = 0;
        return {
          ...source(inner),
          async receive(max, signal) {
            const stop = draining && received >= 600;
            const delivery = stop ? { batch: batchOf([]), commit: async () => {} } : await inner.receive(max, signal);
            received += delivery.batch.length;
            return delivery;
          },
        };
      },
    },
  },
  "forgets the last commit of a drain": {
    scenario: "a drain commits everything",
    fault: {
      consumer(inner, { draining }) {
        let commits = 0;
        return committing(async (commit, dispositions) =>
          draining && ++commits === 3 ? undefined : commit(dispositions),
        )(inner);
      },
    },
  },
  "does not know its end": {
    scenario: "a drain of a source with nothing left ends",
    fault: {
      consumer: (inner, { draining }) => ({
        ...source(inner),
        async receive(max, signal) {
          const delivery = await inner.receive(max, signal);
          if (!draining || delivery.batch.length > 0) return delivery;
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
        },
      }),
    },
  },
  "does not ack what a middleware has dropped": {
    scenario: "batches that a middleware empties",
    fault: {
      consumer: (inner, { draining }) =>
        committing(async (commit, dispositions) => (dispositions || !draining ? commit(dispositions) : undefined))(
          inner,
        ),
    },
  },
};
