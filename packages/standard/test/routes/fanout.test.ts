import { createBridge, createRegistry } from "@mqb/core";
import type { Message } from "@mqb/core/plugin";
import { CollectingPublisher, fakePlugin, messageBatch, texts, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { busy, cut, failures, rejected } from "../failures.ts";
import { fakeExpressions } from "../fake-expressions.ts";
import { NEVER } from "../opened.ts";
import { run } from "./setup.ts";

/** A bridge with the sinks `a`, `b`, `dead`, and a filled topic `t` that takes back what is not settled. */
async function setUp(batches: number, ordered = false) {
  const sinks = { a: new CollectingPublisher(), b: new CollectingPublisher(), dead: new CollectingPublisher() };
  // A route that reconnects closes its sinks; these go on.
  for (const sink of Object.values(sinks)) sink.close = async () => {};
  const output = { orderedPublish: ordered };
  const fakes = fakePlugin({
    a: { publisher: sinks.a, output },
    b: { publisher: sinks.b, output },
    dead: { publisher: sinks.dead },
    lost: { publisher: () => Promise.reject(cut) },
  });
  const bridge = createBridge({ registry: createRegistry([standard, fakes, fakeExpressions]), drainIdleMs: 50 });
  const publisher = await bridge.openPublisher({ memory: { topic: "t", capacity: 1_000 } });
  for (let n = 0; n < batches; n++) await publisher.send(messageBatch(20, { from: n * 20 }), NEVER);
  return { ...sinks, bridge };
}

const INPUT = { memory: { topic: "t", enable_nack: true } };
const all = (count: number) => texts(messageBatch(count));
const failOften = (often: number, error: unknown) => {
  let calls = 0;
  return () => (++calls % often === 0 ? error : undefined);
};

it.each([1, 8])(
  "gives each leg every message exactly once while legs fail now and then: concurrency %d",
  async (concurrency) => {
    const { a, b, bridge } = await setUp(25);
    a.failWhen(failOften(13, busy));
    b.failWhen(failOften(7, busy));
    const result = await run(bridge, "r", {
      input: INPUT,
      output: { fanout: [{ a: {} }, { b: {} }] },
      exit_on_empty: true,
      batch_size: 10,
      concurrency,
    });
    expect(result).toMatchObject({ outcome: "completed", accounting: { delivered: 500, inFlight: 0 } });
    expect(texts(a.messages).sort()).toEqual(all(500).sort());
    expect(texts(b.messages).sort()).toEqual(all(500).sort());
  },
);

it("retries a leg that failed without the other, and dead-letters what it refuses", async () => {
  const { a, b, dead, bridge } = await setUp(10);
  const refused = (message: Message) => message.text().endsWith("3");
  let flaky = 0;
  b.failWhen((message) => (refused(message) ? rejected : ++flaky % 5 === 0 ? busy : undefined));
  const result = await run(bridge, "r", {
    input: INPUT,
    output: {
      fanout: [{ a: {} }, { b: {} }],
      middlewares: [{ retry: { max_attempts: 10, initial_interval_ms: 0 } }, { dlq: { endpoint: { dead: {} } } }],
    },
    exit_on_empty: true,
    concurrency: 8,
  });
  expect(result.accounting).toMatchObject({ delivered: 180, deadLettered: 20, nacked: 0 });
  expect(texts(a.messages).sort()).toEqual(all(200).sort());
  expect(texts(b.messages).sort()).toEqual(
    all(200)
      .filter((text) => !text.endsWith("3"))
      .sort(),
  );
  expect(texts(dead.messages).sort()).toEqual(
    all(200)
      .filter((text) => text.endsWith("3"))
      .sort(),
  );
});

it("parks what one leg refuses in that leg's own dlq, and the others go on", async () => {
  const { a, b, dead, bridge } = await setUp(2);
  b.failWhen(() => rejected);
  const result = await run(bridge, "r", {
    input: INPUT,
    output: { fanout: [{ a: {} }, { b: {}, middlewares: [{ dlq: { endpoint: { dead: {} } } }] }] },
    exit_on_empty: true,
  });
  expect(result.accounting).toMatchObject({ delivered: 40, deadLettered: 0 });
  expect(dead.messages).toHaveLength(40);
  expect(a.messages).toHaveLength(40);
});

it("writes nothing twice to the leg that had it when the route reconnects because of the other", async () => {
  const { a, b, bridge } = await setUp(20);
  let calls = 0;
  const accept = b.send.bind(b);
  b.send = async (batch, signal) => {
    if (++calls === 3) throw cut;
    return accept(batch, signal);
  };
  const result = await run(bridge, "r", {
    input: INPUT,
    output: { fanout: [{ a: {} }, { b: {} }] },
    exit_on_empty: true,
    reconnect_interval_ms: 0,
  });
  expect(result.outcome).toBe("completed");
  expect(texts(a.messages).sort()).toEqual(all(400).sort());
  expect(texts(b.messages).sort()).toEqual(all(400).sort());
});

it("keeps the order of every leg that asks for it", async () => {
  const { a, b, bridge } = await setUp(30, true);
  await run(bridge, "r", {
    input: INPUT,
    output: { fanout: [{ a: {} }, { b: {} }] },
    exit_on_empty: true,
    concurrency: 8,
  });
  expect(texts(a.messages)).toEqual(all(600));
  expect(texts(b.messages)).toEqual(all(600));
  expect([a.maxInFlight, b.maxInFlight]).toEqual([1, 1]);
});

it("is not disturbed by a mirror that is out of reach", async () => {
  const { a, bridge } = await setUp(2);
  const result = await run(bridge, "r", {
    input: INPUT,
    output: { fanout: [{ a: {} }, { request: { to: { lost: {} }, forward_to: null } }] },
    exit_on_empty: true,
  });
  expect(result).toMatchObject({ outcome: "completed", accounting: { delivered: 40, nacked: 0 } });
  expect(a.messages).toHaveLength(40);
});

it("ends the route with the error of a leg that ends it", async () => {
  const { b, bridge } = await setUp(1);
  b.rejectNext(failures.CONFIG({}));
  const result = await run(bridge, "r", { input: INPUT, output: { fanout: [{ a: {} }, { b: {} }] } });
  expect(result).toMatchObject({ outcome: "failed", error: { message: "there is no such table" } });
});

it("fans out to a switch that fans out", async () => {
  const { a, b, dead, bridge } = await setUp(1);
  const inner = { when: [{ if: "1", to: { fanout: [{ b: {} }, { dead: {} }] } }] };
  const result = await run(bridge, "r", {
    input: INPUT,
    output: { fanout: [{ a: {} }, { switch: inner }] },
    exit_on_empty: true,
  });
  expect(result.accounting).toMatchObject({ delivered: 20, filtered: 0 });
  const without1 = all(20).filter((text) => !text.includes("1"));
  expect([a, b, dead].map((sink) => texts(sink.messages))).toEqual([all(20), without1, without1]);
});

it("answers from one leg, and the asker hears of a failure of another", async () => {
  const { b, bridge } = await setUp(0);
  const route = bridge.route("r", {
    input: { memory: { topic: "ask" } },
    output: {
      fanout: [
        { b: {} },
        { request: { to: { static: { body: "re: ${message:payload}", raw: true } }, forward_to: { response: {} } } },
      ],
    },
  });
  await route.start();
  const asking = await bridge.openPublisher({ memory: { topic: "ask", request_reply: true } });
  const [answered] = (await within(asking.send(messageBatch(1), NEVER), "the answer"))!;
  expect(answered?.type === "replied" && answered.message.text()).toBe("re: message 0");
  b.failWhen(() => busy);
  const [failing] = (await within(asking.send(messageBatch(1), NEVER), "the failure"))!;
  expect(failing!.type).toBe("failed");
  await bridge.stop();
});
