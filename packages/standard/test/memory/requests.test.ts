import { ACK, batchOf, Message, NACK, type Outcome, reply } from "@mqb/core/plugin";
import { isPending, messageBatch, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER, TestBridge } from "../opened.ts";

const REQUEST = { memory: { topic: "t", request_reply: true, request_timeout_ms: 500 } };
const request = (text: string, id?: string) =>
  new Message(text, id === undefined ? undefined : new Map([["correlation_id", id]]));

async function setUp(input: object = {}) {
  const bridge = new TestBridge();
  const context = bridge.context();
  const consumer = await bridge.consumer({ memory: { topic: "t", ...input } }, context);
  const publisher = await bridge.publisher(REQUEST, context);
  return { context, consumer, publisher };
}

const summary = (outcomes: readonly Outcome[] | undefined) =>
  outcomes?.map((outcome) =>
    outcome.type === "replied"
      ? outcome.message.text()
      : outcome.type === "failed"
        ? (outcome.error as { code: string }).code
        : outcome.type,
  );

it("waits for the answers to all messages of a batch, and puts each into its place", async () => {
  const { consumer, publisher } = await setUp();
  const batch = messageBatch(3);
  const sent = publisher.send(batch, NEVER);
  const one = await consumer.receive(2, NEVER);
  const two = await consumer.receive(2, NEVER);
  await two.commit([reply(new Message("answer 2"))]);
  expect(await isPending(sent)).toBe(true);
  await one.commit([reply(new Message("answer 0")), reply(new Message("answer 1"))]);
  const outcomes = await within(sent, "the requests are answered");
  expect(summary(outcomes)).toEqual(["answer 0", "answer 1", "answer 2"]);
});

it("gives an answer the id and the correlation_id of its request, unless it has its own", async () => {
  const { consumer, publisher } = await setUp();
  const batch = batchOf([request("a", "one"), request("b", "two")]);
  const sent = publisher.send(batch, NEVER);
  const delivery = await consumer.receive(10, NEVER);
  await delivery.commit([reply(new Message("A")), reply(request("B", "mine"))]);
  const outcomes = (await sent)!;
  const answers = outcomes.map((outcome) => (outcome.type === "replied" ? outcome.message : undefined));
  expect(answers.map((answer) => answer?.id)).toEqual([batch.id(0), batch.id(1)]);
  expect(answers.map((answer) => answer?.metadata.get("correlation_id"))).toEqual(["one", "mine"]);
});

it("makes a correlation_id for a request without one", async () => {
  const { consumer, publisher } = await setUp();
  void publisher.send(messageBatch(2), NEVER);
  const { batch } = await consumer.receive(10, NEVER);
  const ids = [0, 1].map((index) => batch.metadata(index).get("correlation_id"));
  expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  expect(ids[0]).not.toBe(ids[1]);
});

it("fails a second request with an id that waits already, for good, and sends it nowhere", async () => {
  const { consumer, publisher } = await setUp();
  const sent = publisher.send(batchOf([request("a", "same"), request("b", "same"), request("c", "other")]), NEVER);
  const delivery = await consumer.receive(10, NEVER);
  expect([...delivery.batch].map((message) => message.text())).toEqual(["a", "c"]);
  await delivery.commit([reply(new Message("A")), reply(new Message("C"))]);
  const outcomes = (await sent)!;
  expect(summary(outcomes)).toEqual(["A", "MQB_STANDARD_REQUEST_DUPLICATE", "C"]);
  expect(outcomes[1]).toMatchObject({ error: { kind: "permanent" } });
});

it("fails as retryable when no answer comes in time, and frees the id", async () => {
  const { context, consumer, publisher } = await setUp();
  const late = publisher.send(batchOf([request("a", "x")]), NEVER);
  const delivery = await consumer.receive(1, NEVER);
  await context.clock.advance(499);
  expect(await isPending(late)).toBe(true);
  await context.clock.advance(1);
  const outcomes = await within(late, "the request times out");
  expect(summary(outcomes)).toEqual(["MQB_STANDARD_REQUEST_TIMEOUT"]);
  expect(outcomes![0]).toMatchObject({ error: { kind: "retryable" } });
  expect(context.clock.pending).toBe(0);

  const again = publisher.send(batchOf([request("b", "x")]), NEVER);
  // The answer to the first request comes too late and must not be the answer to nothing.
  await (await consumer.receive(1, NEVER)).commit([reply(new Message("B"))]);
  await delivery.commit([reply(new Message("A"))]);
  expect(summary(await again)).toEqual(["B"]);
  expect(context.log.at("debug")).toHaveLength(1);
});

it("stops waiting when the signal aborts, and frees the id", async () => {
  const { publisher } = await setUp();
  const stop = new AbortController();
  const given = publisher.send(batchOf([request("a", "x")]), stop.signal);
  stop.abort();
  expect(summary(await given)).toEqual(["MQB_STANDARD_REQUEST_GIVEN_UP"]);
  const again = publisher.send(batchOf([request("a", "x")]), AbortSignal.abort());
  expect(summary(await again)).toEqual(["MQB_STANDARD_REQUEST_GIVEN_UP"]);
});

it("accepts a request without an answer when its reader acknowledges it", async () => {
  const { consumer, publisher } = await setUp();
  const all = publisher.send(messageBatch(2), NEVER);
  await (await consumer.receive(10, NEVER)).commit();
  expect(await within(all, "the requests are settled")).toBeUndefined();
  const some = publisher.send(messageBatch(2), NEVER);
  await (await consumer.receive(10, NEVER)).commit([ACK, reply(new Message("A"))]);
  expect(summary(await some)).toEqual(["accepted", "A"]);
});

it("fails a request as retryable when its reader nacks it and it is lost", async () => {
  const { consumer, publisher } = await setUp();
  const sent = publisher.send(messageBatch(1), NEVER);
  await (await consumer.receive(1, NEVER)).commit([NACK]);
  expect(summary(await within(sent, "the request fails"))).toEqual(["MQB_STANDARD_REQUEST_NACKED"]);
});

it("goes on waiting when the nacked request comes back", async () => {
  const { consumer, publisher } = await setUp({ enable_nack: true });
  const sent = publisher.send(messageBatch(1), NEVER);
  await (await consumer.receive(1, NEVER)).commit([NACK]);
  await (await consumer.receive(1, NEVER)).commit([reply(new Message("A"))]);
  expect(summary(await sent)).toEqual(["A"]);
});

it("also waits for its slot no longer than for the answer", async () => {
  const bridge = new TestBridge();
  const context = bridge.context();
  const publisher = await bridge.publisher({ memory: { ...REQUEST.memory, capacity: 1 } }, context);
  const first = publisher.send(batchOf([request("a", "x")]), NEVER);
  const second = publisher.send(batchOf([request("b", "y")]), NEVER);
  await context.clock.advance(500);
  expect(summary(await first)).toEqual(["MQB_STANDARD_REQUEST_TIMEOUT"]);
  expect(summary(await second)).toEqual(["MQB_STANDARD_REQUEST_TIMEOUT"]);
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  expect((await consumer.receive(10, NEVER)).batch.length).toBe(1);
  expect(consumer.status?.().pending).toBe(0);
});

it("ends all waits when it closes", async () => {
  const { publisher } = await setUp();
  const sent = publisher.send(messageBatch(1), NEVER);
  await publisher.close();
  expect(summary(await within(sent, "the wait ends"))).toEqual(["MQB_STANDARD_REQUEST_GIVEN_UP"]);
});

it("takes the first answer of several subscribers, and no acknowledgement for one", async () => {
  const bridge = new TestBridge();
  const subscribers = [
    await bridge.consumer({ memory: { topic: "t", subscribe_mode: true } }),
    await bridge.consumer({ memory: { topic: "t", subscribe_mode: true } }),
  ];
  const publisher = await bridge.publisher(REQUEST);
  const sent = publisher.send(messageBatch(1), NEVER);
  const [one, two] = await Promise.all(subscribers.map((consumer) => consumer.receive(1, NEVER)));
  await one!.commit();
  expect(await isPending(sent)).toBe(true);
  await two!.commit([reply(new Message("A"))]);
  expect(summary(await sent)).toEqual(["A"]);
});
