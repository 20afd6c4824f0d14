import { batchOf, Message, MqbError } from "@mqb/core/plugin";
import { topicOf } from "../support/queue-connector.ts";
import { changing, type Faults, sink, source } from "./broken.ts";

/** Faults that show when a source and a sink work together, in routes or one after the other. */
export const wholeFaults: Faults = {
  "writes metadata names in lower case": {
    scenario: "metadata names of every kind",
    fault: { consumer: changing(mapMetadata((name, value) => [name.toLowerCase(), value])) },
  },
  "lets a line break in a metadata name begin another one": {
    scenario: "metadata names of every kind",
    fault: {
      consumer: changing((message) => {
        const split = [...message.metadata].flatMap(([name, value]) =>
          name.split("\r\n").map((part) => [part, value] as const),
        );
        return new Message(message.payload, new Map(split), message.id);
      }),
    },
  },
  "drops the metadata of a message for one that it cannot hold": {
    scenario: "metadata names of every kind",
    fault: {
      consumer: changing((message) =>
        message.metadata.has("") ? new Message(message.payload, new Map(), message.id) : message,
      ),
    },
  },
  "trims metadata values": {
    scenario: "metadata values of every kind",
    fault: { consumer: changing(mapMetadata((name, value) => [name, value.trim()])) },
  },
  "does not keep what it has sent apart when it is opened anew": {
    scenario: "sent again after the sink is opened anew",
    in: "log",
    fault: {
      publisher(inner, context, { topic }) {
        context.local<{ ids: Set<string> }>(`log ${topic}`, () => ({ ids: new Set() })).ids.clear();
        return inner;
      },
    },
  },
  "mixes the messages of a key up": {
    scenario: "messages of one key arrive in their order",
    fault: { consumer: reversing() },
  },
  "mixes the messages of a key up after a reconnect": {
    scenario: "messages of one key come again",
    fault: { consumer: reversing() },
  },
  "loses what comes while it drains": {
    scenario: "a drain beside a producer",
    fault: {
      consumer(inner, context, { topic }) {
        const drain = context.local(`drain ${topic}`, () => ({ runs: false }));
        drain.runs = context.draining;
        return {
          ...source(inner),
          async close() {
            drain.runs = false;
            await inner.close();
          },
        };
      },
      publisher: (inner, context, { topic }) => ({
        ...sink(inner),
        async send(batch, signal) {
          const drain = context.local(`drain ${topic}`, () => ({ runs: false }));
          return drain.runs ? undefined : inner.send(batch, signal);
        },
      }),
    },
  },
  "tries a bad configuration again and again": {
    scenario: "a route with a bad configuration fails at once",
    fault: {
      consumer() {
        throw new MqbError("MQB_TEST", "connection", "wrong password");
      },
    },
    fixture: { bad: [{ name: "refused as if unreachable", side: "input", config: { topic: "a" } }] },
  },
  "reads everything into memory while the sink stands still": {
    scenario: "a route whose sink stands still",
    fault: {
      consumer(inner, context, config) {
        const ahead = topicOf(config, context).waiting.map(({ message }) => Buffer.from(message.payload));
        return { ...source(inner), status: () => ({ healthy: true, target: "t", pending: ahead.length }) };
      },
    },
  },
  "counts once what waits": {
    scenario: "the status of a source counts what waits",
    fault: {
      consumer(inner, context, config) {
        const pending = topicOf(config, context).waiting.length;
        return { ...source(inner), status: () => ({ healthy: true, target: "t", pending }) };
      },
    },
  },
};

function mapMetadata(change: (name: string, value: string) => readonly [string, string]) {
  return (message: Message): Message =>
    new Message(message.payload, new Map(Array.from(message.metadata, ([n, v]) => change(n, v))), message.id);
}

function reversing(): NonNullable<Faults[string]["fault"]["consumer"]> {
  return (inner) => ({
    ...source(inner),
    async receive(max, signal) {
      const { batch, commit } = await inner.receive(max, signal);
      return {
        batch: batchOf([...batch].reverse()),
        commit: (dispositions) => commit(dispositions && [...dispositions].reverse()),
      };
    },
  });
}
