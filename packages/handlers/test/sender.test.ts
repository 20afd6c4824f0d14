import { failed, Message, type MessageBatch, MqbError, type Outcome, type Publisher, reply } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import { openReceiver, openSender } from "../src/index.ts";
import { bridgeOf, contents } from "./setup.ts";

const TOPIC = { memory: { topic: "t" } };

it("sends messages, texts, bytes and values", async () => {
  const bridge = bridgeOf();
  await using sender = await openSender(bridge, TOPIC);
  await sender.send("text");
  await sender.send(Buffer.from("bytes"));
  await sender.send({ a: 1 });
  await sender.sendBatch([new Message("message"), [1, 2]]);
  expect(await sender.sendBatch([])).toEqual([]);
  expect((await contents(bridge, TOPIC)).map((message) => message.text())).toEqual([
    "text",
    "bytes",
    '{"a":1}',
    "message",
    "[1,2]",
  ]);
  expect(await sender.status()).toMatchObject({ healthy: true, target: "t" });
});

it("goes through the middlewares of its configuration, and finds endpoints of the bridge by name", async () => {
  const bridge = bridgeOf();
  bridge.endpoint("jobs", TOPIC);
  await using sender = await openSender(bridge, { ref: "jobs" });
  await sender.send("x");
  expect(await contents(bridge, TOPIC)).toHaveLength(1);
});

it("gets the answer to a request", async () => {
  const bridge = bridgeOf();
  await using sender = await openSender(bridge, { memory: { topic: "t", request_reply: true } });
  await using receiver = await openReceiver(bridge, TOPIC);
  const answer = sender.request("question");
  const batch = await receiver.receive();
  await batch.commit([reply(new Message(`answer to ${batch.messages[0]!.text()}`))]);
  expect((await answer).text()).toBe("answer to question");

  const none = sender.request("question");
  await (await receiver.receive()).ack();
  await expect(none).rejects.toMatchObject({ code: "MQB_HANDLERS_NO_REPLY" });
});

/** A sink that does what the test says. */
function sinks(behaviours: ((batch: MessageBatch) => Promise<readonly Outcome[] | undefined>)[]) {
  const opened: { closed: boolean; flushed: number }[] = [];
  const bridge = {
    async openPublisher(): Promise<Publisher> {
      const state = { closed: false, flushed: 0 };
      const send = behaviours[opened.length]!;
      opened.push(state);
      return {
        send: (batch) => send(batch),
        async flush() {
          state.flushed++;
        },
        async close() {
          state.closed = true;
        },
      };
    },
  };
  return { bridge, opened };
}

const cut = new MqbError("TEST_CUT", "connection", "cut");
const bad = new MqbError("TEST_BAD", "permanent", "bad");

it("rejects a message that the sink does not take, and tells of several by position", async () => {
  const { bridge, opened } = sinks([
    async (batch) => Array.from(batch, (one) => (one.text() === "bad" ? failed(bad) : { type: "accepted" })),
  ]);
  const sender = await openSender(bridge, TOPIC);
  await expect(sender.send("bad")).rejects.toBe(bad);
  await sender.send("good");
  expect(await sender.sendBatch(["good", "bad"])).toEqual([{ type: "accepted" }, failed(bad)]);
  await sender.close();
  expect(opened).toEqual([{ closed: true, flushed: 1 }]);
});

it("opens the sink again after its connection was lost", async () => {
  const { bridge, opened } = sinks([() => Promise.reject(cut), async () => [failed(cut)], async () => undefined]);
  const sender = await openSender(bridge, TOPIC);
  await expect(sender.send("a")).rejects.toBe(cut);
  await expect(sender.send("b")).rejects.toBe(cut);
  await sender.send("c");
  expect(opened.map(({ closed }) => closed)).toEqual([true, true, false]);
  await sender.close();
  expect(opened.map(({ closed }) => closed)).toEqual([true, true, true]);
});

it("is refused after its close, which may be called again", async () => {
  const sender = await openSender(bridgeOf(), TOPIC);
  await Promise.all([sender.close(), sender.close()]);
  await expect(sender.send("x")).rejects.toMatchObject({ code: "MQB_HANDLERS_CLOSED" });
});
