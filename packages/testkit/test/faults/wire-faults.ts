import { batchOf, type Message, MqbError } from "@mqb/core/plugin";
import type { ConnectorFixture } from "../../src/index.ts";
import type { WireFault } from "../support/wire-connector.ts";

/** A connector that is broken when its connection is, and the scenario that has to find it. */
export interface WireBroken {
  readonly scenario: string;
  readonly fault: WireFault;
  readonly fixture?: Partial<ConnectorFixture>;
}

export const wireFaults: Readonly<Record<string, WireBroken>> = {
  "takes an unreachable source for a bad message": {
    scenario: "a source that cannot be reached",
    fault: { broken: (reason) => new MqbError("MQB_WIRE", "permanent", reason) },
  },
  "reports an unreachable sink without a code": {
    scenario: "a sink that cannot be reached",
    fault: { broken: (reason) => new Error(reason) },
  },
  "finds a source well that refuses its probe": {
    scenario: "a probe of a source says that nobody",
    fault: { probe: async () => [{ check: "reachable", ok: true, detail: "surely" }] },
  },
  "fails when its sink refuses the probe": {
    scenario: "a probe of a sink says that nobody",
    fault: {
      probe: async () => {
        throw new MqbError("MQB_WIRE", "connection", "gone");
      },
    },
  },
  "does not notice that its connection is gone": {
    scenario: "a waiting source notices",
    fault: {
      consumer: (inner) => ({
        ...plain(inner),
        receive: (max, signal) => inner.receive(max, signal).catch(() => new Promise(() => {})),
      }),
    },
  },
  "acks what it has read ahead": {
    scenario: "a route whose source is cut off",
    fault: {
      consumer(inner) {
        const ahead: Message[] = [];
        return {
          ...plain(inner),
          async receive(max, signal) {
            if (!inner.status!().healthy) throw new MqbError("MQB_WIRE", "connection", "gone");
            if (ahead.length === 0) {
              const { batch, commit } = await inner.receive(100, signal);
              await commit();
              ahead.push(...batch);
            }
            return { batch: batchOf(ahead.splice(0, max)), commit: async () => {} };
          },
        };
      },
    },
  },
  "takes what was written into a socket for accepted": {
    scenario: "a route whose sink is cut off",
    fault: {
      publisher: (inner) => ({
        ...plain(inner),
        async send(batch) {
          void inner.send(batch, new AbortController().signal).catch(() => {});
          return undefined;
        },
      }),
    },
  },
  "accepts what nobody has answered for": {
    scenario: "a send over a connection that stands still",
    fault: {
      publisher: (inner) => ({
        ...plain(inner),
        async send(batch) {
          void inner.send(batch, new AbortController().signal).catch(() => {});
          return undefined;
        },
      }),
    },
  },
  "waits for the server at an abort": {
    scenario: "a source over a connection that stands still",
    fault: {
      consumer: (inner) => ({ ...plain(inner), receive: (max) => inner.receive(max, new AbortController().signal) }),
    },
  },
  "forgets what was open when the server restarts": {
    scenario: "survives a restart",
    fault: {
      consumer: (inner) => ({
        ...plain(inner),
        async receive(max, signal) {
          const { batch, commit } = await inner.receive(max, signal);
          await commit();
          return { batch, commit: async () => {} };
        },
      }),
    },
  },
};

/** The methods of an end, to replace some of them. */
export function plain<T extends object>(inner: T): T {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(inner)).filter((name) => name !== "constructor");
  const bound = methods.map((name) => [name, (Reflect.get(inner, name) as () => unknown).bind(inner)]);
  return Object.fromEntries(bound) as T;
}
