import { ACK, Message, NACK, nack } from "@mqb/core/plugin";
import { ScriptedConsumer, slabOf } from "@mqb/testkit";
import { AlwaysOffSampler } from "@opentelemetry/sdk-trace-base";
import { describe, expect, it } from "vitest";
import { tracedConsumer } from "../src/consumer.ts";
import { brief, never, parentOf, pointsAt, Recorded, SPAN, TRACE } from "./traced.ts";

const traced = (text: string) =>
  new Message(
    text,
    new Map([
      ["kept", "1"],
      ["traceparent", `00-${TRACE}-${SPAN}-01`],
      ["tracestate", "vendor=1"],
    ]),
  );

async function received(recorded: Recorded, spans: "message" | "batch", ...messages: Message[]) {
  const source = new ScriptedConsumer().push(slabOf(messages));
  const consumer = tracedConsumer(source, recorded.tracing, spans);
  return { source, consumer, delivery: await consumer.receive(10, never) };
}

describe("a span for each received message", () => {
  it("continues its trace, lasts until the commit, and is what the message points at", async () => {
    await using recorded = new Recorded();
    const { delivery } = await received(recorded, "message", traced("a"), new Message("b"));
    expect(recorded.spans).toEqual([]);
    await delivery.commit();
    const [a, b] = recorded.spans;
    expect(brief(a!)).toEqual({
      name: "orders receive",
      kind: "CONSUMER",
      error: undefined,
      attributes: { "mqb.route": "orders", "messaging.message.id": delivery.batch.id(0) },
      parent: `${TRACE}-${SPAN}`,
      links: [],
    });
    expect(brief(b!)).toMatchObject({
      parent: undefined,
      attributes: { "messaging.message.id": delivery.batch.id(1) },
    });
    expect(a!.spanContext().traceId).toBe(TRACE);
    expect(b!.spanContext().traceId).not.toBe(TRACE);
    expect(Array.from(delivery.batch, parentOf)).toEqual([pointsAt(a!), pointsAt(b!)]);
    expect([...delivery.batch.metadata(0)]).toEqual([
      ["kept", "1"],
      ["traceparent", pointsAt(a!)],
      ["tracestate", "vendor=1"],
    ]);
    expect(Array.from(delivery.batch, (message) => message.text())).toEqual(["a", "b"]);
  });

  it("is an error where the message went back, with the reason", async () => {
    await using recorded = new Recorded();
    const { source, delivery } = await received(
      recorded,
      "message",
      new Message("a"),
      new Message("b"),
      new Message("c"),
    );
    await delivery.commit([ACK, NACK, nack(new Error("the sink is busy"))]);
    expect(recorded.spans.map((span) => brief(span).error)).toEqual([
      undefined,
      "went back to the source",
      "went back to the source: the sink is busy",
    ]);
    expect(source.commits[0]!.dispositions!.map(({ type }) => type)).toEqual(["ack", "nack", "nack"]);
  });

  it("is an error when the commit fails, and when the route closes before it", async () => {
    await using recorded = new Recorded();
    const { source, consumer, delivery } = await received(recorded, "message", new Message("a"));
    source.failNextCommit(new Error("lost"));
    await expect(delivery.commit()).rejects.toThrow("lost");
    source.push([new Message("b")]);
    const late = await consumer.receive(1, never);
    await consumer.close();
    await late.commit();
    expect(recorded.spans.map((span) => brief(span).error)).toEqual([
      "the commit failed: lost",
      "closed before it was committed",
    ]);
  });

  it("that is not sampled carries the decision on, and makes no id", async () => {
    await using recorded = new Recorded(new AlwaysOffSampler());
    const { delivery } = await received(recorded, "message", traced("a"));
    expect(parentOf(delivery.batch.at(0))).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
    await delivery.commit();
    expect(recorded.spans).toEqual([]);
  });
});

describe("a span for each received batch", () => {
  it("is linked to the traces that its messages come from, and they all point at it", async () => {
    await using recorded = new Recorded();
    const other = new Message("b", new Map([["traceparent", `00-${"1".repeat(32)}-${"2".repeat(16)}-01`]]));
    const { delivery } = await received(recorded, "batch", traced("a"), other, new Message("c"), traced("d"));
    await delivery.commit();
    const [span, ...others] = recorded.spans;
    expect(others).toEqual([]);
    expect(brief(span!)).toEqual({
      name: "orders receive",
      kind: "CONSUMER",
      error: undefined,
      attributes: { "mqb.route": "orders", "messaging.batch.message_count": 4 },
      parent: undefined,
      links: [`${TRACE}-${SPAN}`, `${"1".repeat(32)}-${"2".repeat(16)}`],
    });
    expect(new Set(Array.from(delivery.batch, parentOf))).toEqual(new Set([pointsAt(span!)]));
  });

  it("continues the trace that all of its messages have in common", async () => {
    await using recorded = new Recorded();
    const { delivery } = await received(recorded, "batch", traced("a"), traced("b"));
    await delivery.commit();
    expect(brief(recorded.spans[0]!)).toMatchObject({ parent: `${TRACE}-${SPAN}`, links: [] });
  });

  it("has no more links than a span takes", async () => {
    await using recorded = new Recorded();
    const many = Array.from({ length: 200 }, (_, n) => {
      const span = (n + 1).toString(16).padStart(16, "0");
      return new Message("m", new Map([["traceparent", `00-${TRACE}-${span}-01`]]));
    });
    const source = new ScriptedConsumer().push(many);
    const delivery = await tracedConsumer(source, recorded.tracing, "batch").receive(500, never);
    await delivery.commit();
    expect(recorded.spans[0]!.links).toHaveLength(128);
  });

  it("is an error when messages went back", async () => {
    await using recorded = new Recorded();
    const { delivery } = await received(recorded, "batch", new Message("a"), new Message("b"), new Message("c"));
    await delivery.commit([NACK, ACK, NACK]);
    expect(brief(recorded.spans[0]!).error).toBe("2 messages went back to the source");
  });
});

it("an empty batch makes no span", async () => {
  await using recorded = new Recorded();
  const source = new ScriptedConsumer().pushEmpty(true);
  const delivery = await tracedConsumer(source, recorded.tracing, "message").receive(1, never);
  expect(delivery.emptied).toBe(true);
  await delivery.commit();
  expect(recorded.spans).toEqual([]);
});
