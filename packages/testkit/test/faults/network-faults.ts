import { batchOf, type Message, MqbError } from "@mqb/core/plugin";
import type { WireFault } from "../support/wire-connector.ts";
import { plain, type WireBroken } from "./wire-faults.ts";

const LATE_MS = 50;
const LEAK_MS = 2000;

const never = (): Promise<never> => new Promise(() => {});
const late = (): Promise<"late"> => new Promise((resolve) => setTimeout(() => resolve("late"), LATE_MS));

const acksWhatItReadAhead: WireFault = {
  consumer(inner) {
    const ahead: Message[] = [];
    return {
      ...plain(inner),
      async receive(max, signal) {
        if (!inner.status!().healthy) throw new MqbError("MQB_WIRE", "connection", "gone");
        if (ahead.length === 0) {
          const { batch, commit } = await inner.receive(200, signal);
          await commit();
          ahead.push(...batch);
        }
        return { batch: batchOf(ahead.splice(0, max)), commit: async () => {} };
      },
    };
  },
};

const acceptsWhatItHasWritten: WireFault = {
  publisher: (inner) => ({
    ...plain(inner),
    async send(batch) {
      void inner.send(batch, new AbortController().signal).catch(() => {});
      return undefined;
    },
  }),
};

/** Connectors that do not get over what a network or a server does, and the scenarios that have to find them. */
export const networkFaults: Readonly<Record<string, WireBroken>> = {
  "does not notice that the server has ended its source's connection": {
    scenario: "a route whose source's connection is ended",
    fault: {
      consumer: (inner) => ({ ...plain(inner), receive: (max, signal) => inner.receive(max, signal).catch(never) }),
    },
  },
  "acks what it has read ahead of a refused connection": {
    scenario: "a route whose source's connection is cut, and refused",
    fault: acksWhatItReadAhead,
  },
  "acks what it has read ahead of a reset connection": {
    scenario: "a route whose source's connection is cut, and reset",
    fault: acksWhatItReadAhead,
  },
  "throws away what comes late": {
    scenario: "a route whose source's connection stands still for a while",
    fault: {
      consumer: (inner) => ({
        ...plain(inner),
        async receive(max, signal) {
          const receiving = inner.receive(max, signal);
          const first = await Promise.race([receiving, late()]);
          if (first !== "late") return first;
          void receiving.then(({ commit }) => commit()).catch(() => {});
          return { batch: batchOf([]), commit: async () => {} };
        },
      }),
    },
  },
  "acks what it has read ahead of a slow connection": {
    scenario: "a route whose source's connection stands still and is then cut",
    fault: acksWhatItReadAhead,
  },
  "waits for ever for an answer over an ended connection": {
    scenario: "a route whose sink's connection is ended",
    fault: {
      publisher: (inner) => ({ ...plain(inner), send: (batch, signal) => inner.send(batch, signal).catch(never) }),
    },
  },
  "accepts what it has written to a refused connection": {
    scenario: "a route whose sink's connection is cut, and refused",
    fault: acceptsWhatItHasWritten,
  },
  "accepts what it has written to a reset connection": {
    scenario: "a route whose sink's connection is cut, and reset",
    fault: acceptsWhatItHasWritten,
  },
  "throws away what a slow connection does not take": {
    scenario: "a route whose sink's connection stands still for a while",
    fault: {
      publisher(inner) {
        let busy = false;
        return {
          ...plain(inner),
          async send(batch, signal) {
            if (busy) return undefined;
            busy = true;
            const sending = inner.send(batch, signal).finally(() => (busy = false));
            await Promise.race([sending, late()]);
            return undefined;
          },
        };
      },
    },
  },
  "accepts what it has written to a slow connection": {
    scenario: "a route whose sink's connection stands still and is then cut",
    fault: acceptsWhatItHasWritten,
  },
  "acks what it has read ahead of a server that restarts": {
    scenario: "a route from a server that is restarted",
    fault: acksWhatItReadAhead,
  },
  "acks what it has read ahead of a server that is killed": {
    scenario: "a route from a server that is killed",
    fault: acksWhatItReadAhead,
  },
  "accepts what it has written to a server that restarts": {
    scenario: "a route into a server that is restarted",
    fault: acceptsWhatItHasWritten,
  },
  "accepts what it has written to a server that is killed": {
    scenario: "a route into a server that is killed",
    fault: acceptsWhatItHasWritten,
  },
  "never looks after its peer": {
    scenario: "a source whose peer is gone without a word",
    fault: {},
    fixture: { noticesSilence: true },
  },
  "waits for its receive when it closes": {
    scenario: "close of a source wakes its receive although",
    fault: {
      consumer(inner) {
        let receiving: Promise<unknown> = Promise.resolve();
        return {
          ...plain(inner),
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
  },
  "waits for its send when it closes": {
    scenario: "close of a sink does not wait for its send",
    fault: {
      publisher(inner) {
        let sending: Promise<unknown> = Promise.resolve();
        return {
          ...plain(inner),
          send(batch, signal) {
            const outcomes = inner.send(batch, signal);
            sending = outcomes;
            return outcomes;
          },
          async close() {
            await sending;
            await inner.close();
          },
        };
      },
    },
  },
  "goes on trying by itself after it is closed": {
    scenario: "closed after its connection was cut and refused",
    fault: {
      consumer: (inner) => ({
        ...plain(inner),
        receive: (max, signal) =>
          inner.receive(max, signal).finally(() => {
            setTimeout(() => {}, LEAK_MS);
          }),
      }),
    },
  },
  "opens a connection for each sink": {
    scenario: "two sinks with the same settings share",
    fault: { sharesNothing: true },
  },
  "opens a connection for each source": {
    scenario: "two sources with the same settings share",
    fault: {},
    fixture: { shares: ["input"] },
  },
  "is healthy whatever happens": {
    scenario: "the status of a sink says when its connection is gone",
    fault: { publisher: (inner) => ({ ...plain(inner), status: () => ({ healthy: true, target: "t" }) }) },
  },
};
