import { batchOf, Message } from "@mqb/core/plugin";
import { messageBatch, texts, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { busy } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { run, setUp } from "./setup.ts";

it("carries everything from route to route, in order, through small topics", async () => {
  const { source, sink, bridge } = setUp();
  for (let i = 0; i < 50; i++) source.push(messageBatch(20, { from: i * 20 }));
  source.pushEmpty();
  const second = run(bridge, "second", {
    input: { memory: { topic: "t", capacity: 1 } },
    output: { sink: {} },
    exit_on_empty: true,
    batch_size: 7,
  });
  const first = run(bridge, "first", {
    input: { source: {} },
    output: { memory: { topic: "t" } },
    exit_on_empty: true,
  });
  expect((await first).accounting).toMatchObject({ received: 1_000, delivered: 1_000, inFlight: 0 });
  expect((await second).accounting).toMatchObject({ received: 1_000, delivered: 1_000, inFlight: 0 });
  expect(texts(sink.messages)).toEqual(texts(messageBatch(1_000)));
});

it("loses nothing and settles nothing twice with many workers and a sink that fails now and then", async () => {
  const { sink, bridge } = setUp();
  let calls = 0;
  sink.failWhen(() => (++calls % 13 === 0 ? busy : undefined));
  const publisher = await bridge.openPublisher({ memory: { topic: "t", capacity: 1_000 } });
  for (let i = 0; i < 100; i++) await publisher.send(messageBatch(20, { from: i * 20 }), NEVER);
  const result = await run(bridge, "r", {
    input: { memory: { topic: "t", enable_nack: true } },
    output: { sink: {} },
    exit_on_empty: true,
    concurrency: 8,
    batch_size: 10,
  });
  expect(result.outcome).toBe("completed");
  expect(result.accounting.delivered).toBe(2_000);
  expect(texts(sink.messages).sort()).toEqual(texts(messageBatch(2_000)).sort());
});

it("delivers the good message although one before it always fails, and rests between the tries", async () => {
  const { sink, bridge } = setUp();
  sink.failWhen((message) => (message.text() === "message 0" ? busy : undefined));
  const publisher = await bridge.openPublisher({ memory: { topic: "t" } });
  await publisher.send(messageBatch(1), NEVER);
  await publisher.send(messageBatch(1, { from: 1 }), NEVER);
  const route = bridge.route("r", {
    input: { memory: { topic: "t", enable_nack: true } },
    output: { sink: {}, middlewares: [{ retry: { max_attempts: 2, initial_interval_ms: 0 } }] },
    batch_size: 1,
  });
  await route.start();
  await within(sink.collected(1), "the good message arrives");
  const tries = sink.sends.length;
  await bridge.stop();
  expect(texts(sink.messages)).toEqual(["message 1"]);
  expect(tries).toBeLessThan(40);
});

it("answers requests of one route by another one", async () => {
  const { source, bridge } = setUp();
  source.push(batchOf([new Message("ping"), new Message("pong")]));
  const back = bridge.route("back", {
    input: { memory: { topic: "rr" } },
    output: { static: { body: "re:${message:payload}", raw: true, metadata: { "x-m": "1" } } },
  });
  const front = bridge.route("front", {
    input: { source: {} },
    output: { memory: { topic: "rr", request_reply: true } },
  });
  await Promise.all([back.start(), front.start()]);
  await source.received(1);
  const dispositions = await within(source.deliveries[0]!.committed, "the requests are settled");
  const answers = dispositions.map((disposition) => (disposition.type === "reply" ? disposition.message : undefined));
  expect(answers.map((answer) => answer?.text())).toEqual(["re:ping", "re:pong"]);
  expect(Object.fromEntries(answers[0]!.metadata)).toEqual({
    "x-m": "1",
    correlation_id: expect.stringMatching(/.{36}/),
  });
  await bridge.stop();
});

it("gives every subscribing route everything", async () => {
  const { source, sink, dead, bridge } = setUp();
  source.push(messageBatch(30)).pushEmpty();
  const input = { memory: { topic: "news", subscribe_mode: true } };
  const readers = [
    run(bridge, "a", { input, output: { sink: {} }, exit_on_empty: true }),
    run(bridge, "b", { input, output: { dead: {} }, exit_on_empty: true }),
  ];
  await run(bridge, "writer", { input: { source: {} }, output: { memory: { topic: "news" } }, exit_on_empty: true });
  await Promise.all(readers);
  expect(texts(sink.messages)).toEqual(texts(messageBatch(30)));
  expect(texts(dead.messages)).toEqual(texts(messageBatch(30)));
});

it("fails the start of a route that reads a topic in the other way", async () => {
  const { bridge } = setUp();
  const one = bridge.route("one", { input: { memory: { topic: "t" } } });
  const two = bridge.route("two", { input: { memory: { topic: "t", subscribe_mode: true } } });
  await one.start();
  await expect(two.start()).rejects.toMatchObject({ code: "MQB_STANDARD_MEMORY_TOPIC_MODE" });
  expect(two.status().state).toBe("failed");
  await bridge.stop();
});
