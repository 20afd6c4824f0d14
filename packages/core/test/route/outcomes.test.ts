import { describe, expect, it } from "vitest";
import { ACCEPTED, DEAD_LETTERED, FILTERED, failed, type Outcome, replied } from "../../src/contract/disposition.ts";
import { type ErrorKind, MqbError } from "../../src/errors/mqb-error.ts";
import { Message } from "../../src/message/message.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { harness } from "../fakes/harness.ts";
import { FakePublisher, type Send } from "../fakes/publisher.ts";
import { until } from "../fakes/until.ts";

async function sending(send: Send, texts = ["a", "b", "c"]) {
  const consumer = new FakeConsumer([texts]);
  const h = harness({ consumer, publisher: new FakePublisher(send) });
  await h.route.start();
  await until(() => consumer.commits.length === 1 && h.route.status().inFlight.batches === 0);
  const status = h.route.status();
  return { ...h, consumer, status, dispositions: consumer.commits[0]!.dispositions?.map(({ type }) => type) };
}

const error = (kind: ErrorKind, options = {}) =>
  new MqbError(`MQB_FAKE_${kind.toUpperCase()}`, kind, `${kind} one`, options);

describe("outcomes", () => {
  it("become dispositions by position", async () => {
    const answer = new Message("answer");
    const { consumer, dispositions, status } = await sending(
      () => [
        ACCEPTED,
        replied(answer),
        FILTERED,
        DEAD_LETTERED,
        failed(error("retryable")),
        failed(error("permanent")),
      ],
      ["a", "b", "c", "d", "e", "f"],
    );
    expect(dispositions).toEqual(["ack", "reply", "ack", "ack", "nack", "ack"]);
    expect(consumer.commits[0]!.dispositions![1]).toEqual({ type: "reply", message: answer });
    expect(status.accounting).toEqual({
      received: 6,
      delivered: 1,
      replied: 1,
      filtered: 1,
      deduplicated: 0,
      deadLettered: 1,
      dropped: 1,
      nacked: 1,
      inFlight: 0,
    });
  });

  it("that are all successes become one ack of everything", async () => {
    const { dispositions, status } = await sending(() => [ACCEPTED, FILTERED, failed(error("permanent"))]);
    expect(dispositions).toBeUndefined();
    expect(status.accounting).toMatchObject({ delivered: 1, filtered: 1, dropped: 1 });
  });
});

const forms: [string, (failure: Error) => Send][] = [
  ["thrown for the batch", (failure) => () => Promise.reject(failure)],
  [
    "thrown at once",
    (failure) => () => {
      throw failure;
    },
  ],
  ["as outcomes", (failure) => (batch) => Array.from(batch, () => failed(failure))],
  ["wrapped", (failure) => () => Promise.reject(new Error("wrapper", { cause: failure }))],
]; // prettier-ignore
describe.each(forms)("an error of the sink, %s,", (_, form) => {
  it("that is retryable nacks, and the route goes on", async () => {
    const { dispositions, route } = await sending(form(error("retryable")));
    expect(dispositions).toEqual(["nack", "nack", "nack"]);
    expect(route.state).toBe("running");
  });

  it("of no kind is retryable", async () => {
    const { dispositions, route } = await sending(form(new Error("plain")));
    expect(dispositions).toEqual(["nack", "nack", "nack"]);
    expect(route.state).toBe("running");
  });

  it("that is permanent drops, counted by cause and logged", async () => {
    const { dispositions, status, log } = await sending(form(error("permanent")));
    expect(dispositions).toBeUndefined();
    expect(status.drops).toMatchObject([{ code: "MQB_FAKE_PERMANENT", count: 3 }]);
    expect(status.error).toContain("permanent one");
    expect(log.at("error")).toHaveLength(3);
  });

  it("that was retried until it was exhausted nacks when nobody dead-lettered it", async () => {
    const { dispositions } = await sending(form(error("permanent", { exhausted: true })));
    expect(dispositions).toEqual(["nack", "nack", "nack"]);
  });

  it("of the connection nacks and reconnects", async () => {
    const { dispositions, route, clock } = await sending(form(error("connection")));
    expect(dispositions).toEqual(["nack", "nack", "nack"]);
    await until(() => route.state === "reconnecting");
    await clock.run(route.stop());
  });

  it("of the configuration nacks and ends the route as failed", async () => {
    const { dispositions, route, clock } = await sending(form(error("config")));
    expect(dispositions).toEqual(["nack", "nack", "nack"]);
    const result = await clock.run(route.done);
    expect(result).toMatchObject({ outcome: "failed" });
    expect(String((result.error as Error).cause ?? result.error)).toContain("config one");
  });

  it("that ends it, as a closed pipe does, ends the route cleanly", async () => {
    const { dispositions, route, clock } = await sending(form(error("end")));
    expect(dispositions).toEqual(["nack", "nack", "nack"]);
    expect(await clock.run(route.done)).toMatchObject({ outcome: "completed" });
  });
});

describe("an answer of the sink that cannot be read", () => {
  const answers: [string, unknown][] = [
    ["too few outcomes", [ACCEPTED]],
    ["too many outcomes", [ACCEPTED, ACCEPTED, ACCEPTED, ACCEPTED]],
    ["none at all", []],
    ["a hole", [ACCEPTED, undefined, ACCEPTED]],
    ["an outcome of an unknown type", [ACCEPTED, { type: "maybe" }, ACCEPTED]],
  ];
  it.each(answers)("%s: everything goes back, and the route reconnects", async (_, answer) => {
    const { dispositions, status, route, clock } = await sending(() => answer as Outcome[]);
    expect(dispositions).toEqual(["nack", "nack", "nack"]);
    expect(status.accounting).toMatchObject({ received: 3, nacked: 3, inFlight: 0 });
    await until(() => route.state === "reconnecting");
    await clock.run(route.stop());
  });

  it("names the sink and the numbers", async () => {
    const { route, clock, log } = await sending(() => [ACCEPTED]);
    await until(() => route.state === "reconnecting");
    expect(log.at("warn").join()).toContain("sink returned 1 outcomes for 3 messages");
    await clock.run(route.stop());
  });
});

describe("a source that takes nothing back", () => {
  it.each(["retryable", "connection"] as const)(
    "loses what is nacked for a %s error: it counts as dropped",
    async (kind) => {
      const consumer = new FakeConsumer([["a", "b"]]);
      const publisher = new FakePublisher(() => [ACCEPTED, failed(error(kind))]);
      const h = harness({ consumer, publisher, input: { acknowledges: false } });
      await h.route.start();
      await until(() => consumer.commits.length === 1 && h.route.status().inFlight.batches === 0);
      expect(h.route.status().accounting).toMatchObject({ delivered: 1, dropped: 1, nacked: 0 });
      expect(h.route.status().drops).toEqual([{ code: error(kind).code, count: 1, cause: `${kind} one` }]);
      // The source is told all the same: it may say something about it.
      expect(consumer.commits[0]!.dispositions?.map(({ type }) => type)).toEqual(["ack", "nack"]);
      await h.route.stop();
    },
  );
});
