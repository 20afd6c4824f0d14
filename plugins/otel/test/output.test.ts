import { batchOf, Message, type Publisher } from "@mqb/core/plugin";
import { CollectingPublisher, lineBatch } from "@mqb/testkit";
import * as api from "@opentelemetry/api";
import { describe, expect, it } from "vitest";
import { tracedPublisher } from "../src/publisher.ts";
import { brief, contexts, never, parentOf, pointsAt, Recorded, SPAN, TRACE } from "./traced.ts";

const message = (text: string) => new Message(text, new Map([["traceparent", `00-${TRACE}-${SPAN}-01`]]));

describe("a span for each sent message", () => {
  it("continues its trace, ends with the outcome, and is what the sent message points at", async () => {
    await using recorded = new Recorded();
    const sink = new CollectingPublisher();
    sink.failAt([1], new Error("refused"));
    const batch = batchOf([message("a"), message("b"), new Message("c")]);
    const outcomes = await tracedPublisher(sink, recorded.tracing, "message").send(batch, never);
    expect(outcomes!.map(({ type }) => type)).toEqual(["accepted", "failed", "accepted"]);
    expect(recorded.spans.map(brief)).toEqual([
      {
        name: "orders send",
        kind: "PRODUCER",
        error: undefined,
        attributes: { "mqb.route": "orders", "messaging.message.id": batch.id(0) },
        parent: `${TRACE}-${SPAN}`,
        links: [],
      },
      expect.objectContaining({ error: "refused", parent: `${TRACE}-${SPAN}` }),
      expect.objectContaining({ error: undefined, parent: undefined }),
    ]);
    expect(Array.from(sink.sends[0]!, parentOf)).toEqual(recorded.spans.map(pointsAt));
    // The message itself is not changed.
    expect(parentOf(batch.at(0))).toBe(`00-${TRACE}-${SPAN}-01`);
  });

  it("is an error of every message when the send as a whole fails", async () => {
    await using recorded = new Recorded();
    const sink = new CollectingPublisher();
    sink.rejectNext(new Error("gone"));
    const sending = tracedPublisher(sink, recorded.tracing, "message").send(lineBatch(2), never);
    await expect(sending).rejects.toThrow("gone");
    expect(recorded.spans.map((span) => brief(span).error)).toEqual(["gone", "gone"]);
  });

  it("of a batch of one is the active one while the sink works", async () => {
    await using recorded = new Recorded();
    using _ = contexts();
    let inside: string | undefined;
    const sink: Publisher = {
      async send() {
        await Promise.resolve();
        inside = api.trace.getActiveSpan()?.spanContext().spanId;
        return undefined;
      },
      close: async () => {},
    };
    await tracedPublisher(sink, recorded.tracing, "message").send(lineBatch(1), never);
    expect(inside).toBe(recorded.spans[0]!.spanContext().spanId);
  });
});

describe("a span for each sent batch", () => {
  it("is linked to the traces of its messages, is active in the sink, and says how many failed", async () => {
    await using recorded = new Recorded();
    using _ = contexts();
    const sink = new CollectingPublisher();
    let inside: string | undefined;
    sink.failWhen((_message, index) => {
      inside = api.trace.getActiveSpan()?.spanContext().spanId;
      return index > 0 ? new Error("refused") : undefined;
    });
    const other = new Message("b", new Map([["traceparent", `00-${"1".repeat(32)}-${"2".repeat(16)}-00`]]));
    await tracedPublisher(sink, recorded.tracing, "batch").send(
      batchOf([message("a"), other, new Message("c")]),
      never,
    );
    const [span, ...others] = recorded.spans;
    expect(others).toEqual([]);
    expect(brief(span!)).toEqual({
      name: "orders send",
      kind: "PRODUCER",
      error: "2 messages failed: refused",
      attributes: { "mqb.route": "orders", "messaging.batch.message_count": 3 },
      parent: undefined,
      links: [`${TRACE}-${SPAN}`, `${"1".repeat(32)}-${"2".repeat(16)}`],
    });
    expect(new Set(Array.from(sink.sends[0]!, parentOf))).toEqual(new Set([pointsAt(span!)]));
    expect(inside).toBe(span!.spanContext().spanId);
  });
});
