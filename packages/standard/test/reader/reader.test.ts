import { Message } from "@mqb/core/plugin";
import { FakeClock, fakeContext, lineBatch, messageBatch, ScriptedConsumer, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { busy, cut, failures, rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";

async function setUp(draining = false) {
  const source = new ScriptedConsumer();
  const clock = new FakeClock();
  const context = fakeContext({ clock, draining, side: "output", path: "output", openConsumer: async () => source });
  const publisher = await standard.endpoints!["reader"]!.output!.open({ source: {} }, context);
  const ask = async (count: number, signal = NEVER) => {
    const triggers = messageBatch(count, { from: 100 });
    const outcomes = await publisher.send(triggers, signal);
    return outcomes!.map((one, index) => {
      if (one.type !== "replied") return one.type === "failed" ? one.error : one.type;
      expect(one.message.id).toBe(triggers.id(index));
      return one.message.text();
    });
  };
  return { source, clock, publisher, ask };
}

const EMPTY = expect.objectContaining({ kind: "retryable", code: "MQB_STANDARD_READER_EMPTY" });

it("answers with the next message of the source, under the id of the question", async () => {
  const { source, publisher } = await setUp();
  const read = new Message("hello", new Map([["k", "v"]]));
  source.push([read]);
  const question = messageBatch(1);
  const [outcome] = (await publisher.send(question, NEVER))!;
  expect(outcome?.type === "replied" && outcome.message).toMatchObject({ id: question.id(0) });
  expect(outcome?.type === "replied" && [...outcome.message.metadata]).toEqual([
    ["k", "v"],
    ["mqb.reader.message_id", read.id],
  ]);
  expect(source.deliveries[0]!.commits).toBe(1);
  expect(source.deliveries[0]!.dispositions).toBeUndefined();
});

it("asks the source for as many as there are questions, and fails those that are left for now", async () => {
  const { source, ask } = await setUp();
  source.push(lineBatch(2));
  expect(await ask(4)).toEqual(["message 0", "message 1", EMPTY, EMPTY]);
  expect(source.asked).toEqual([4]);
});

it("waits for a message, also of a source that says that there is nothing for now", async () => {
  const { source, clock, ask } = await setUp();
  source.pushEmpty().pushEmpty(true).pushEmpty().push(messageBatch(1));
  expect(await clock.runUntil(ask(1))).toEqual(["message 0"]);
  expect(source.deliveries.map(({ commits }) => commits)).toEqual([1, 1, 1, 1]);
});

it("does not wait in a drain", async () => {
  const { source, ask } = await setUp(true);
  source.pushEmpty();
  expect(await ask(1)).toEqual([EMPTY]);
});

it("keeps what came for one who no longer waits, for the next one", async () => {
  const { source, ask } = await setUp();
  const stop = new AbortController();
  const receive = source.receive.bind(source);
  source.receive = async (max, signal) => {
    const delivery = await receive(max, signal);
    stop.abort();
    return delivery;
  };
  source.push(messageBatch(1));
  expect(await ask(1, stop.signal)).toEqual([EMPTY]);
  expect(source.deliveries[0]!.commits).toBe(0);
  expect(await ask(1)).toEqual(["message 0"]);
  expect(source.deliveries[0]!.commits).toBe(1);
});

it("gives out what a middleware of the source makes more of, before it reads again", async () => {
  const { source, ask } = await setUp();
  const all = messageBatch(3);
  source.receive = async () => ({ batch: all, commit: async () => void committed++ });
  let committed = 0;
  expect(await ask(2)).toEqual(["message 0", "message 1"]);
  expect(committed).toBe(0);
  expect(await ask(2)).toEqual(["message 2", EMPTY]);
  expect(committed).toBe(1);
});

it("stops waiting when nobody waits, and reads for one send at a time", async () => {
  const { source, ask } = await setUp();
  const stop = new AbortController();
  const first = ask(1, stop.signal);
  const second = ask(1);
  await source.received(1);
  stop.abort();
  expect(await within(first, "the first gives up")).toEqual([EMPTY]);
  source.push(messageBatch(1));
  expect(await second).toEqual(["message 0"]);
  expect(source.violations).toEqual([]);
});

it.each([
  ["connection", cut],
  ["connection", busy],
  ["connection", new Error("no error of mqb")],
  ["config", failures.CONFIG({})],
  ["config", rejected],
])("fails with an error of the kind %s, so that no question is dropped, after %s", async (kind, error) => {
  const { source, publisher } = await setUp();
  source.pushError(error);
  await expect(publisher.send(messageBatch(1), NEVER)).rejects.toMatchObject({ kind });
  // The next one tries again.
  source.push(messageBatch(1));
  expect(await publisher.send(messageBatch(1), NEVER)).toMatchObject([{ type: "replied" }]);
});

it("fails when the source does not take the acknowledgement", async () => {
  const { source, publisher } = await setUp();
  source.push(messageBatch(1));
  source.failNextCommit(cut);
  await expect(publisher.send(messageBatch(1), NEVER)).rejects.toBe(cut);
});

it("closes the source, shows its state, and lets nobody wait any longer", async () => {
  const { source, publisher, ask } = await setUp();
  expect(publisher.status!()).toBe(source.health);
  source.pushEmpty();
  const asking = ask(1);
  await source.received(1);
  await publisher.close();
  expect(await within(asking, "nobody waits")).toEqual([EMPTY]);
  expect(source.closes).toBe(1);
});
