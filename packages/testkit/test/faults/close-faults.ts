import { Listening } from "../support/listening.ts";
import { committing, type Faults, sink, source } from "./broken.ts";

const patient = new Listening(true);

export const closeFaults: Faults = {
  "cannot close its source twice": {
    scenario: "close of a source may be called again",
    fault: { consumer: (inner) => ({ ...source(inner), close: onlyOnce(() => inner.close()) }) },
  },
  "cannot close its sink twice": {
    scenario: "close of a sink may be called again",
    fault: { publisher: (inner) => ({ ...sink(inner), close: onlyOnce(() => inner.close()) }) },
  },
  "does not wake a receive at close": {
    scenario: "close wakes a receive",
    fault: {
      consumer: (inner) => ({
        ...source(inner),
        receive: (max, signal) => inner.receive(max, signal).then((d) => (d.batch.length ? d : new Promise(() => {}))),
      }),
    },
  },
  "waits for its clients at close": {
    scenario: "clients that are connected and say nothing",
    fault: patient.fault,
    fixture: { listens: patient.address },
  },
  "waits for commits at close": {
    scenario: "close does not wait for deliveries",
    fault: {
      consumer(inner) {
        let open = 0;
        return {
          ...committing((commit, dispositions) => {
            open--;
            return commit(dispositions);
          })(inner),
          async receive(max, signal) {
            const { batch, commit } = await inner.receive(max, signal);
            open++;
            return { batch, commit };
          },
          async close() {
            if (open > 0) await new Promise(() => {});
            await inner.close();
          },
        };
      },
    },
  },
  "does not heed the signal of a receive": {
    scenario: "an abort ends a receive",
    fault: {
      consumer: (inner) => ({ ...source(inner), receive: (max) => inner.receive(max, new AbortController().signal) }),
    },
  },
  "loses what comes after an abort": {
    scenario: "an abort ends a receive",
    fault: {
      consumer(inner) {
        let lost: Promise<unknown> | undefined;
        return {
          ...source(inner),
          receive(max, signal) {
            const receiving = inner.receive(max, lost ? signal : new AbortController().signal);
            return new Promise((resolve, reject) => {
              receiving.then(resolve, reject);
              signal.addEventListener("abort", () => {
                lost = receiving;
                reject(signal.reason as Error);
              });
            });
          },
        };
      },
    },
  },
  "takes messages away with an aborted signal": {
    scenario: "with an aborted signal takes no message away",
    fault: {
      consumer: (inner) => ({
        ...source(inner),
        async receive(max, signal) {
          const delivery = await inner.receive(max, signal.aborted ? new AbortController().signal : signal);
          if (signal.aborted) throw signal.reason;
          return delivery;
        },
      }),
    },
  },
  "hangs at a send with an aborted signal": {
    scenario: "a send with an aborted signal settles",
    fault: {
      publisher: (inner) => ({
        ...sink(inner),
        send: (batch, signal) => (signal.aborted ? new Promise(() => {}) : inner.send(batch, signal)),
      }),
    },
  },
};

function onlyOnce(close: () => Promise<void>): () => Promise<void> {
  let closed = false;
  return async () => {
    if (closed) throw new Error("closed already");
    closed = true;
    await close();
  };
}
