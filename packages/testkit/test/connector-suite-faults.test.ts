import {
  ACCEPTED,
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  failed,
  Message,
  MqbError,
  type Publisher,
} from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { ANY_CONFIG, type ConnectorFixture, testConnector } from "../src/index.ts";
import { CapturedRunner } from "./support/captured-runner.ts";
import { logPlugin } from "./support/log-connector.ts";
import { type Fault, type QueueConfig, queuePlugin, topicOf } from "./support/queue-connector.ts";

interface Broken {
  /** The scenario that has to find the fault; a part of its name. */
  readonly scenario: string;
  /** What the fault is in [queue]. */
  readonly in?: "queue" | "log";
  readonly fault: Fault;
  readonly config?: Partial<QueueConfig>;
  readonly fixture?: Partial<ConnectorFixture>;
}

const changing =
  (change: (message: Message) => Message) =>
  (inner: Consumer): Consumer => ({
    ...source(inner),
    async receive(max, signal) {
      const { batch, commit } = await inner.receive(max, signal);
      return { batch: batchOf(Array.from(batch, change)), commit };
    },
  });

const committing =
  (
    change: (
      commit: Delivery["commit"],
      dispositions: readonly Disposition[] | undefined,
      length: number,
    ) => Promise<void>,
  ) =>
  (inner: Consumer): Consumer => ({
    ...source(inner),
    async receive(max, signal) {
      const { batch, commit } = await inner.receive(max, signal);
      return { batch, commit: (dispositions) => change(commit, dispositions, batch.length) };
    },
  });

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A connector with one fault, and the scenario that has to find it. */
const FAULTS: Record<string, Broken> = {
  // Payloads, metadata, ids
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

  // Batches
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

  // Acks, nacks, crashes
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

  // Order
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

  // Draining
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

  // Publishing
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

  // Replies
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

  // Closing and signals
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

  // Status, configuration, handles
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

  // Back-pressure
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

  // The suite itself
  "claims less for the suite than for its tests": {
    scenario: "left out: a reply reaches the one who sent",
    fault: {},
    config: { replies: true },
  },
};

const leaks: NodeJS.Timeout[] = [];

describe("the suite of connectors finds", () => {
  for (const [name, broken] of Object.entries(FAULTS)) {
    it(`one that ${name}`, { timeout: 20_000 }, async () => {
      const runner = new CapturedRunner();
      register(runner, broken);
      const names = runner.named(broken.scenario);
      expect(names).toHaveLength(1);
      const failure = await runner.failure(names[0]!);
      for (const timer of leaks.splice(0)) clearInterval(timer);
      expect(failure).toBeInstanceOf(Error);
    });
  }
});

function register(runner: CapturedRunner, broken: Broken): void {
  let n = 0;
  const endpoint = broken.in ?? "queue";
  const plugin = endpoint === "queue" ? queuePlugin(broken.fault) : logPlugin(broken.fault);
  const suiteOnly = broken.scenario.startsWith("left out");
  const config = { topic: "any", ...(suiteOnly ? {} : broken.config) };
  testConnector(runner, {
    plugin,
    endpoint,
    config: { input: config, output: config },
    fixture: {
      patienceMs: 400,
      refused: () => new Message("refuse me"),
      async fresh() {
        const place = { topic: `topic-${n++}`, password: "geheim-7", ...broken.config };
        return { input: place, output: place };
      },
      narrow: {
        capacity: 3,
        async fresh() {
          const place = { topic: `narrow-${n++}`, capacity: 3 };
          return { input: place, output: place };
        },
      },
      ...broken.fixture,
    },
  });
}

function source(inner: Consumer): Consumer & { status(): NonNullable<ReturnType<NonNullable<Consumer["status"]>>> } {
  return {
    receive: (max, signal) => inner.receive(max, signal),
    close: () => inner.close(),
    status: () => inner.status!(),
  };
}

function sink(inner: Publisher): Publisher {
  return {
    send: (batch, signal) => inner.send(batch, signal),
    flush: async () => inner.flush?.(),
    close: () => inner.close(),
    status: () => inner.status!(),
  };
}

function refusing(kind: "retryable" | "permanent", bad: (message: Message) => boolean): Fault {
  return {
    publisher: (inner) => ({
      ...sink(inner),
      async send(batch, signal) {
        const good = Uint32Array.from(Array.from(batch, (m, i) => (bad(m) ? -1 : i)).filter((i) => i >= 0));
        await inner.send(batch.select(good), signal);
        return Array.from(batch, (m) => (bad(m) ? failed(new MqbError("MQB_TEST", kind, "too large")) : ACCEPTED));
      },
    }),
  };
}

function onlyOnce(close: () => Promise<void>): () => Promise<void> {
  let closed = false;
  return async () => {
    if (closed) throw new Error("closed already");
    closed = true;
    await close();
  };
}
