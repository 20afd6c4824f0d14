import { ACCEPTED, failed, kindOf, type MessageBatch, type Outcome, type Publisher } from "@mqb/core/plugin";
import { CollectingPublisher, fakeContext, isPending, messageBatch, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { retrySchema } from "../../src/retry/config.ts";
import { retryPublisher } from "../../src/retry/publisher.ts";
import { timeoutPublisher } from "../../src/timeout/publisher.ts";
import { busy, cut, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";

/** A sink whose answer the test gives, if ever; it does not heed its signal by itself. */
class DeafSink implements Publisher {
  readonly signals: AbortSignal[] = [];
  readonly answers: ((outcomes: readonly Outcome[] | undefined) => void)[] = [];
  readonly refusals: ((error: unknown) => void)[] = [];

  send(_: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    this.signals.push(signal);
    return new Promise((resolve, reject) => {
      this.answers.push(resolve);
      this.refusals.push(reject);
    });
  }

  async close(): Promise<void> {}
}

function setUp(sink: Publisher, ms = 1_000, below: object = {}) {
  const context = fakeContext({ below });
  return { context, clock: context.clock, publisher: timeoutPublisher(sink, ms, context) };
}

const timedOut = expect.objectContaining({ code: "MQB_STANDARD_SEND_TIMEOUT", kind: "retryable" });

it("passes an answer that comes in time, and leaves no timer behind", async () => {
  const sink = new CollectingPublisher();
  const { clock, publisher } = setUp(sink);
  sink.failAt([1], rejected);
  expect(await publisher.send(messageBatch(2), NEVER)).toEqual([ACCEPTED, failed(rejected)]);
  expect(clock.pending).toBe(0);
});

it("fails a send that is pending when the time is over, as one to try again, and tells the sink", async () => {
  const sink = new DeafSink();
  const { clock, publisher } = setUp(sink);
  const sending = publisher.send(messageBatch(2), NEVER);
  await clock.advance(999);
  expect([sink.signals[0]!.aborted, await isPending(sending)]).toEqual([false, true]);
  await clock.advance(1);
  expect(sink.signals[0]!.reason).toEqual(timedOut);
  const failure = expect(sending).rejects.toEqual(timedOut);
  await clock.advance(100);
  await failure;
  expect(clock.pending).toBe(0);
});

it("keeps what a sink that is told to stop still says of each message", async () => {
  const sink = new DeafSink();
  const { clock, publisher } = setUp(sink);
  const sending = publisher.send(messageBatch(4), NEVER);
  await clock.advance(1_000);
  sink.answers[0]!([ACCEPTED, failed(busy), failed(rejected), failed(cut)]);
  const outcomes = (await within(sending, "it gives the outcomes"))!;
  expect(outcomes[0]).toBe(ACCEPTED);
  expect(outcomes[1]).toEqual(failed(expect.objectContaining({ code: "MQB_STANDARD_SEND_TIMEOUT", cause: busy })));
  expect(outcomes[2]).toEqual(failed(rejected));
  expect(outcomes.map((one) => one.type === "failed" && kindOf(one.error, "config"))).toEqual([
    false,
    "retryable",
    "permanent",
    "retryable",
  ]);
});

it.each([
  ["the reason of its signal", undefined, timedOut],
  ["a connection error", cut, timedOut],
  ["a permanent error", rejected, rejected],
])("a sink that is told to stop and rejects with %s", async (_, given, wanted) => {
  const sink = new DeafSink();
  const { clock, publisher } = setUp(sink);
  const sending = publisher.send(messageBatch(1), NEVER);
  await clock.advance(1_000);
  sink.refusals[0]!(given ?? sink.signals[0]!.reason);
  await expect(sending).rejects.toEqual(wanted);
});

it("passes an error that comes in time as it is", async () => {
  const sink = new CollectingPublisher();
  const { publisher } = setUp(sink);
  sink.rejectNext(cut);
  await expect(publisher.send(messageBatch(1), NEVER)).rejects.toBe(cut);
});

it("bounds each attempt of a retry that stands behind it", async () => {
  const sink = new CollectingPublisher();
  const { clock, publisher } = setUp(sink, 50);
  const retry = retryPublisher(publisher, retrySchema.parse({ max_attempts: 3, initial_interval_ms: 10 }), clock);
  sink.stall();
  const sending = retry.send(messageBatch(1), NEVER);
  await sink.sent(1);
  await clock.advance(60);
  await sink.sent(2);
  sink.release();
  const outcomes = await within(sending, "the second attempt is taken");
  expect(outcomes).toEqual([ACCEPTED]);
  expect(sink.sends.length).toBe(2);
});

it("does not give a sink that takes one batch after another a second one while it works on the first", async () => {
  const sink = new DeafSink();
  const { clock, publisher } = setUp(sink, 1_000, { orderedPublish: true });
  const first = expect(publisher.send(messageBatch(1), NEVER)).rejects.toEqual(timedOut);
  await clock.advance(1_100);
  await first;
  const second = expect(publisher.send(messageBatch(1), NEVER)).rejects.toEqual(timedOut);
  await clock.advance(1_100);
  await second;
  expect(sink.signals.length).toBe(1);
  const third = publisher.send(messageBatch(1), NEVER);
  sink.answers[0]!(undefined);
  await clock.advance(0);
  expect(sink.signals.length).toBe(2);
  sink.answers[1]!(undefined);
  expect(await within(third, "the third is taken")).toBeUndefined();
});

it("passes an abort of the route on, and is no timeout then", async () => {
  const sink = new DeafSink();
  const { publisher } = setUp(sink);
  const stop = new AbortController();
  const sending = publisher.send(messageBatch(1), stop.signal);
  const reason = new Error("the grace period is over");
  stop.abort(reason);
  expect(sink.signals[0]!.reason).toBe(reason);
  sink.refusals[0]!(reason);
  await expect(sending).rejects.toBe(reason);
});

it("gives a send that follows one in time the same signal, and one that follows a late one its own", async () => {
  const sink = new DeafSink();
  const { clock, publisher } = setUp(sink);
  for (const late of [false, false, true, false]) {
    const sending = publisher.send(messageBatch(1), NEVER);
    await clock.advance(late ? 1_000 : 999);
    sink.answers.at(-1)!(undefined);
    await sending;
  }
  const [first, second, third, fourth] = sink.signals;
  expect([second === first, third === first, fourth === first]).toEqual([true, true, false]);
  expect([third!.aborted, fourth!.aborted]).toEqual([true, false]);
});

it("lets go of the route's signal at the end", async () => {
  const route = new AbortController();
  const listeners = new Set<unknown>();
  const { signal } = route;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (type: string, listener: never) => {
    listeners.add(listener);
    add(type, listener);
  };
  signal.removeEventListener = (type: string, listener: never) => {
    listeners.delete(listener);
    remove(type, listener);
  };
  const { publisher } = setUp(new CollectingPublisher());
  for (let i = 0; i < 3; i++) await publisher.send(messageBatch(1), signal);
  expect(listeners.size).toBe(1);
  await publisher.close();
  expect(listeners.size).toBe(0);
});
