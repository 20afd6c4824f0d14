import { ACCEPTED, MqbError } from "@mqb/core/plugin";
import { ANY_CONFIG, messages } from "../../src/index.ts";
import { topicOf } from "../support/queue-connector.ts";
import { type Faults, sink, source } from "./broken.ts";

/** `leaks` gets the timers that faults leave running. */
export const stateFaults = (leaks: NodeJS.Timeout[]): Faults => ({
  "has no status of its source": {
    scenario: "an open source says",
    fault: {
      consumer(inner) {
        const { status: _, ...rest } = source(inner);
        return rest;
      },
    },
  },
  "says for ever that it is not healthy": {
    scenario: "an open sink says",
    fault: { publisher: (inner) => ({ ...sink(inner), status: () => ({ healthy: false, target: "t" }) }) },
  },
  "shows a password in its status": {
    scenario: "an open source says",
    fault: {
      consumer: (inner, _, { password }) => ({
        ...source(inner),
        status: () => ({ healthy: true, target: `queue://user:${password}@host` }),
      }),
    },
  },
  "logs a password": {
    scenario: "close of a source may be called again",
    fault: {
      consumer(inner, { log }, config) {
        log.info("connecting", { config });
        return inner;
      },
    },
  },
  "takes a message to probe its source": {
    scenario: "a probe of a source finds nothing wrong",
    fault: {
      probe(topic) {
        topic.take(1);
        return [{ check: "readable", ok: true, detail: "a message could be read" }];
      },
    },
  },
  "shows a password in what its probe finds": {
    scenario: "a probe of a source finds nothing wrong",
    fault: {
      probe: (_, { password }) => [{ check: "credentials", ok: true, detail: `${password} is right` }],
    },
  },
  "leaves a timer open after a probe": {
    scenario: "a probe of a source finds nothing wrong",
    fault: {
      probe() {
        leaks.push(setInterval(() => {}, 60_000));
        return [{ check: "reachable", ok: true, detail: "it answers" }];
      },
    },
  },
  "writes to probe its sink": {
    scenario: "a probe of a sink finds nothing wrong",
    fault: {
      probe(topic) {
        topic.put({ message: messages(1, { from: 7 })[0]! });
        return [{ check: "writable", ok: true, detail: "a message could be written" }];
      },
    },
  },
  "probes nothing of its sink": {
    scenario: "a probe of a sink finds nothing wrong",
    fault: { probe: () => [] },
  },
  "takes unknown keys of a source": {
    scenario: "a source with an unknown key",
    fault: { schema: ANY_CONFIG as never },
  },
  "takes unknown keys of a sink": {
    scenario: "a sink with an unknown key",
    fault: { schema: ANY_CONFIG as never },
  },
  "opens with a bad configuration": {
    scenario: "a bad configuration is refused",
    fault: {},
    fixture: { bad: [{ name: "fine in truth", side: "input", config: { topic: "a" } }] },
  },
  "leaves a timer behind when it refuses": {
    scenario: "a bad configuration is refused",
    fault: {
      consumer() {
        leaks.push(setInterval(() => {}, 60_000));
        throw new MqbError("MQB_TEST", "config", "too late");
      },
    },
    fixture: { bad: [{ name: "refused late", side: "input", config: { topic: "a" } }] },
  },
  "refuses a bad configuration as if the connection were bad": {
    scenario: "a bad configuration is refused",
    fault: {
      consumer() {
        throw new MqbError("MQB_TEST", "connection", "no such topic");
      },
    },
    fixture: { bad: [{ name: "refused late", side: "input", config: { topic: "a" } }] },
  },
  "tells a password when it refuses": {
    scenario: "a bad configuration is refused",
    fault: {
      consumer(_, __, config) {
        throw new MqbError("MQB_TEST", "config", `cannot use ${JSON.stringify(config)}`);
      },
    },
    fixture: { bad: [{ name: "refused late", side: "input", config: { topic: "a", password: "geheim-8" } }] },
  },
  "leaves a timer open": {
    scenario: "leaves no socket, file, timer",
    fault: {
      publisher(inner) {
        leaks.push(setInterval(() => {}, 60_000));
        return inner;
      },
    },
  },
  "does not release what it shares": {
    scenario: "leaves no socket, file, timer",
    fault: {
      publisher(inner, context) {
        void context.share(
          "client",
          async () => 1,
          async () => {},
        );
        return inner;
      },
    },
  },
  "leaves a timer open when a receive waits": {
    scenario: "leaves nothing open after a close with messages in hand",
    fault: {
      consumer: (inner) => ({
        ...source(inner),
        async receive(max, signal) {
          const timer = setInterval(() => {}, 60_000);
          leaks.push(timer);
          const delivery = await inner.receive(max, signal);
          if (delivery.batch.length > 0) clearInterval(timer);
          return delivery;
        },
      }),
    },
  },
});

export const pressureFaults: Faults = {
  "reads everything ahead": {
    scenario: "a source that nobody reads from on holds back",
    fault: {
      consumer(inner, context, config) {
        const ahead = topicOf(config, context).waiting.map(({ message }) => Buffer.from(message.payload));
        return { ...source(inner), status: () => ({ healthy: true, target: "t", pending: ahead.length }) };
      },
    },
  },
  "accepts without limit": {
    scenario: "a send into a full sink waits",
    fault: {
      publisher: (inner, context, config) => ({
        ...sink(inner),
        async send(batch) {
          for (const message of batch) topicOf(config, context).put({ message });
          return Array.from(batch, () => ACCEPTED);
        },
      }),
    },
  },
};

export const suiteFaults: Faults = {
  "claims less for the suite than for its tests": {
    scenario: "left out: a reply reaches the one who sent",
    fault: {},
    config: { replies: true },
  },
};
