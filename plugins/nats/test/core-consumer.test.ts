import { type Clock, Message } from "@mqb/core/plugin";
import { fakeContext } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { CoreConsumer } from "../src/consumer/core-consumer.ts";
import { ReceivedQueue } from "../src/consumer/queue.ts";
import { Replier } from "../src/consumer/replying.ts";
import { errors } from "../src/errors.ts";
import { FakeConnection } from "./consumer-fakes.ts";
import { frameOf } from "./frame-of.ts";

const never = new AbortController().signal;

async function open(queue = new ReceivedQueue(), connection = new FakeConnection()) {
  const context = fakeContext<Clock>({});
  const replier = new Replier(connection.shared.value, context, () => {});
  const settings = {
    subject: "s.a",
    queueGroup: undefined,
    reading: { streamed: false, stamps: false },
    waiting: undefined,
    replier,
    queue,
  };
  const consumer = await CoreConsumer.open(connection.shared, settings, context as never);
  return { connection, consumer, context, queue };
}

describe("an input of core NATS that is closed", () => {
  it("keeps what the route has not taken for the next connection, and says how much", async () => {
    const first = await open();
    for (const text of ["a", "b", "c"]) first.connection.hear(frameOf({ payload: text }));
    const { batch } = await first.consumer.receive(1, never);
    expect(batch.at(0).text()).toBe("a");
    await first.consumer.close();
    expect(JSON.stringify(first.context.log)).toContain("2 message(s) of s.a were received and not taken");

    const second = await open(first.queue);
    const again = await second.consumer.receive(10, never);
    expect(Array.from(again.batch, (message) => message.text())).toEqual(["b", "c"]);
    await second.consumer.close();
    expect(first.queue.length).toBe(0);
  });
});

describe("an input of core NATS that cannot be opened again", () => {
  it("keeps what it had for the next try", async () => {
    const kept = new ReceivedQueue();
    for (const payload of ["a", "b"]) kept.push(frameOf({ payload }));
    const cut = new FakeConnection();
    cut.end = new Error("cut");
    await expect(open(kept, cut)).rejects.toThrow("cut");
    const { consumer } = await open(kept);
    expect((await consumer.receive(10, never)).batch.length).toBe(2);
    await consumer.close();
  });
});

describe("a reply that the server does not permit", () => {
  it("is counted and said, and one of somebody else is not", async () => {
    const { connection, consumer, context } = await open();
    connection.hear(frameOf({ payload: "question", reply: "_INBOX.asker" }));
    const { commit } = await consumer.receive(1, never);
    await commit([{ type: "reply", message: new Message("answer") }]);
    const denied = errors.NOT_PERMITTED({ target: "test:4222", what: "publish to a subject" });
    connection.watcher!.denied!(denied, "somewhere.else");
    connection.watcher!.denied!(denied, "_INBOX.asker");
    expect(consumer.status().details).toMatchObject({ failedReplies: 1 });
    expect(JSON.stringify(context.log)).toContain("does not permit the reply");
    await consumer.close();
  });
});
