import { codeOf, kindOf, type Outcome } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { ASKED, Asked, batch, contextWith, never, openOutput } from "./looking.ts";

const ANSWERS_BATCHES = {
  acknowledges: true,
  replies: true,
  orderedPublish: false,
  idempotent: false,
  answersBatches: true,
};
const many = (count: number) => batch(...Array.from({ length: count }, (_, n) => `{"n":${n}}`));

describe("asking", () => {
  it.each([1, 4, 16])(
    "has %i requests under way at most, also for several batches, in their order",
    async (concurrency) => {
      const asked = new Asked(() => "1");
      const { publisher } = await openOutput({ ...ASKED, concurrency }, { asked });
      asked.hold();
      const sending = [publisher.send(many(20), never), publisher.send(many(20), never)];
      await asked.sent(concurrency);
      expect(asked.inFlight).toBe(concurrency);
      asked.release();
      await Promise.all(sending);
      expect(asked.maxInFlight).toBe(concurrency);
      // The places go round: neither batch waits for the whole other one, and each keeps its own order.
      const numbers = asked.texts.map((text) => (JSON.parse(text) as { n: number }).n);
      if (concurrency === 1) expect(numbers).toEqual(Array.from({ length: 40 }, (_, i) => Math.floor(i / 2)));
    },
  );

  it("sends a whole batch to an endpoint that answers it at once", async () => {
    const asked = new Asked((request) => request.text());
    const context = { ...contextWith({ asked }), children: [{ type: "asked", output: ANSWERS_BATCHES }] };
    const { publisher, sink } = await openOutput({ ...ASKED, concurrency: 1 }, { asked }, context);
    await publisher.send(many(20), never);
    expect(asked.sends.map((batch) => batch.length)).toEqual([20]);
    expect(sink.messages[7]!.text()).toBe('{"n":7,"user":{"n":7}}');
  });

  it("keeps answers with their messages, whatever the order in which they come", async () => {
    const asked = new Asked((request) => request.text());
    const { publisher, sink } = await openOutput(ASKED, { asked });
    await publisher.send(many(50), never);
    expect(sink.messages.map((message) => message.text())).toEqual(
      Array.from({ length: 50 }, (_, n) => `{"n":${n},"user":{"n":${n}}}`),
    );
  });

  it("does not touch the sink when every lookup has failed", async () => {
    const { publisher, sink } = await openOutput(ASKED, { asked: new Asked(() => undefined) });
    const outcomes = await publisher.send(many(3), never);
    expect(outcomes!.map(({ type }) => type)).toEqual(["failed", "failed", "failed"]);
    expect(sink.sends).toEqual([]);
  });

  it("gives up an answer that does not come in time, which may be asked for again", async () => {
    const asked = new Asked(() => "1");
    asked.hold();
    const context = contextWith({ asked });
    const { publisher, sink } = await openOutput({ ...ASKED, timeout_ms: 100 }, { asked }, context);
    const sending = publisher.send(batch("{}"), never);
    await context.clock.waiting();
    await context.clock.advance(100);
    const [outcome] = (await sending) as [Extract<Outcome, { type: "failed" }>];
    expect([codeOf(outcome.error), kindOf(outcome.error, "end")]).toEqual(["MQB_LOOKUP_TIMEOUT", "retryable"]);
    asked.release();
    expect(await publisher.send(batch("{}"), never)).toBeUndefined();
    expect(sink.messages).toHaveLength(1);
    expect(context.clock.pending).toBe(0);
  });

  it.each(["the signal", "close"])("is given up by %s, also when the endpoint does not heed that", async (by) => {
    const asked = new Asked(() => "1");
    asked.hold();
    const { publisher, sink } = await openOutput({ ...ASKED, concurrency: 2 }, { asked });
    const stop = new AbortController();
    const sending = publisher.send(many(5), stop.signal);
    await asked.sent(2);
    if (by === "close") await publisher.close();
    else stop.abort();
    const outcomes = await sending;
    expect(outcomes!.map((outcome) => outcome.type === "failed" && codeOf(outcome.error))).toEqual(
      new Array(5).fill("MQB_LOOKUP_GIVEN_UP"),
    );
    // What had no place yet was not asked for any more.
    expect(asked.sends).toHaveLength(2);
    expect(sink.sends).toEqual([]);
  });

  it("flushes and closes the endpoints with the sink", async () => {
    const asked = new Asked(() => "1");
    const { publisher, sink } = await openOutput(ASKED, { asked });
    await publisher.flush!();
    await publisher.close();
    expect([asked.flushes, asked.closes, sink.flushes, sink.closes]).toEqual([1, 1, 1, 1]);
  });

  it("closes the endpoints that are open when another one cannot be opened", async () => {
    const asked = new Asked(() => "1");
    const entries = [{ from: { nobody: {} }, into: "b" }];
    await expect(openOutput({ ...ASKED, entries }, { asked })).rejects.toThrow("nobody");
    expect(asked.closes).toBe(1);
  });

  it("is unhealthy when one of the endpoints is", async () => {
    const asked = new Asked(() => "1");
    Object.assign(asked, { status: () => ({ healthy: false, target: "users", error: "down" }) });
    const { publisher } = await openOutput(ASKED, { asked });
    expect(publisher.status!()).toMatchObject({
      healthy: false,
      target: "collecting",
      error: "down",
      details: { lookup: { user: { target: "users" } } },
    });
  });
});
