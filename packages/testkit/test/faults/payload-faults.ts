import { batchOf, Message } from "@mqb/core/plugin";
import { changing, committing, type Faults, refusing, sink, source } from "./broken.ts";

export const payloadFaults: Faults = {
  "drops empty payloads": {
    scenario: "an empty payload",
    fault: {
      publisher: (inner) => ({
        ...sink(inner),
        async send(batch, signal) {
          await inner.send(batchOf([...batch].filter((message) => message.payload.length > 0)), signal);
          return undefined;
        },
      }),
    },
  },
  "takes payloads for text": {
    scenario: "every byte value",
    fault: { consumer: changing((message) => message.with({ payload: Buffer.from(message.text()) })) },
  },
  "repairs UTF-8": {
    scenario: "ill-formed UTF-8",
    fault: { consumer: changing((message) => message.with({ payload: Buffer.from(message.text()) })) },
  },
  "splits at line breaks": {
    scenario: "line breaks, quotes",
    fault: { consumer: changing((message) => message.with({ payload: Buffer.from(message.text().split("\n")[0]!) })) },
  },
  "ends at NUL": {
    scenario: "NUL and control characters",
    fault: { consumer: changing((message) => message.with({ payload: Buffer.from(message.text().split("\0")[0]!) })) },
  },
  "removes a byte order mark": {
    scenario: "text beyond ASCII",
    fault: {
      consumer: changing((message) =>
        message.with({ payload: Buffer.from(new TextDecoder().decode(message.payload)) }),
      ),
    },
  },
  "trims payloads": {
    scenario: "spaces at both ends",
    fault: { consumer: changing((message) => message.with({ payload: Buffer.from(message.text().trim()) })) },
  },
  "cuts large payloads off": {
    scenario: "a mebibyte",
    fault: { consumer: changing((message) => message.with({ payload: message.payload.subarray(0, 65536) })) },
  },
  "calls a payload that it cannot hold a passing fault": {
    scenario: "a mebibyte",
    fault: refusing("retryable", (message) => message.payload.length > 65536),
  },
  "loses one of ten thousand": {
    scenario: "ten thousand small messages",
    fault: {
      publisher: (inner) => ({
        ...sink(inner),
        async send(batch, signal) {
          return (
            (await inner.send(batchOf([...batch].filter((m) => m.text() !== "message 7777")), signal)) && undefined
          );
        },
      }),
    },
  },
  "changes one of ten thousand": {
    scenario: "ten thousand small messages",
    fault: {
      consumer: changing((message) =>
        message.text() === "message 7777" ? message.with({ payload: Buffer.from("message 7777 ") }) : message,
      ),
    },
  },
  "loses metadata": {
    scenario: "metadata arrives with its message",
    fault: { consumer: changing((message) => new Message(message.payload, undefined, message.id)) },
  },
  "gives all messages the metadata of one": {
    scenario: "metadata arrives with its message",
    fault: { consumer: changing((message) => message.with({ metadata: [["region", "north"]] })) },
  },
  "cannot encode metadata": {
    scenario: "a value beyond ASCII",
    fault: {
      consumer: changing((message) =>
        message.with({
          metadata: Array.from(message.metadata, ([key, value]) => [key, Buffer.from(value).toString("latin1")]),
        }),
      ),
    },
  },
  "takes an empty value for none": {
    scenario: "an empty value",
    fault: {
      consumer: changing((message) =>
        message.with({ metadata: Array.from(message.metadata, ([key, value]) => [key, value || undefined]) }),
      ),
    },
  },
  "cuts long values off": {
    scenario: "a value of 2000 characters",
    fault: {
      consumer: changing((message) =>
        message.with({ metadata: Array.from(message.metadata, ([key, value]) => [key, value.slice(0, 255)]) }),
      ),
    },
  },
  "drops metadata whose key it cannot write": {
    scenario: "a key beyond ASCII",
    fault: {
      consumer: changing((message) => {
        const pairs = [...message.metadata].filter(([key]) => /^[ -~]*$/.test(key));
        return new Message(message.payload, new Map(pairs), message.id);
      }),
    },
  },
  "lets metadata inject lines": {
    scenario: "a value with line breaks",
    fault: {
      consumer: changing((message) =>
        message.with({ metadata: Array.from(message.metadata, ([key, value]) => [key, value.split("\r\n")[0]!]) }),
      ),
    },
  },
  "keeps metadata in a plain object": {
    scenario: "a key like a property of objects",
    fault: {
      consumer: changing((message) => {
        const pairs: Record<string, string> = {};
        for (const [key, value] of message.metadata) pairs[key] = value;
        return new Message(message.payload, new Map(Object.entries(pairs)), message.id);
      }),
    },
  },
  "makes new ids": {
    scenario: "keeps the id that it was sent with",
    fault: { consumer: changing((message) => new Message(message.payload, message.metadata)) },
  },
  "makes new ids at every delivery": {
    scenario: "the same id when it is delivered again",
    fault: { consumer: changing((message) => new Message(message.payload, message.metadata)) },
  },
};

export const batchFaults: Faults = {
  "reuses its buffer": {
    scenario: "stay what they are while later batches",
    fault: {
      consumer(inner) {
        const buffer = Buffer.alloc(65536);
        return {
          ...source(inner),
          async receive(max, signal) {
            const { batch, commit } = await inner.receive(max, signal);
            let at = 0;
            const messages = Array.from(batch, (message) => {
              buffer.set(message.payload, at);
              return message.with({ payload: buffer.subarray(at, (at += message.payload.length)) });
            });
            return { batch: batchOf(messages), commit };
          },
        };
      },
    },
  },
  "makes messages anew at every look": {
    scenario: "can be read again and again",
    fault: {
      consumer: (inner) => ({
        ...source(inner),
        async receive(max, signal) {
          const { batch, commit } = await inner.receive(max, signal);
          const fresh = new Proxy(batch, {
            get(target, name) {
              if (name === "at") return (i: number) => target.at(i).with({});
              const value: unknown = Reflect.get(target, name, target);
              return typeof value === "function" ? value.bind(target) : value;
            },
          });
          return { batch: fresh, commit };
        },
      }),
    },
  },
  "gives more than it is asked for": {
    scenario: "receive gives at most as many messages",
    fault: { consumer: (inner) => ({ ...source(inner), receive: (_, signal) => inner.receive(10, signal) }) },
  },
  "loses what it was not asked for": {
    scenario: "receive gives at most as many messages",
    fault: {
      consumer: (inner) => ({
        ...source(inner),
        async receive(max, signal) {
          const { batch, commit } = await inner.receive(100, signal);
          const some = Uint32Array.from({ length: Math.min(max, batch.length) }, (_, i) => i);
          return { batch: batch.select(some), commit: () => commit() };
        },
      }),
    },
  },
  "fails at the commit of an empty batch": {
    scenario: "an empty delivery is committed",
    fault: {
      consumer: committing((commit, dispositions, length) =>
        length === 0 ? Promise.reject(new Error("nothing to commit")) : commit(dispositions),
      ),
    },
  },
  "fails for an empty batch": {
    scenario: "takes an empty batch for nothing",
    fault: {
      publisher: (inner) => ({
        ...sink(inner),
        send: (batch, signal) => (batch.length ? inner.send(batch, signal) : Promise.reject(new Error("empty"))),
      }),
    },
  },
};
