import { once } from "node:events";
import { batchOf, Message } from "@mqb/core/plugin";
import { eventually, FakeClock, isPending, recordingLogger, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { NEVER } from "../../opened.ts";
import { failure, Socketed, settle, take, text } from "./setup.ts";

describe("a consumer that does not read", () => {
  const big = () => batchOf(Array.from({ length: 100 }, () => new Message(Buffer.alloc(64 * 1024))));

  it("makes a send wait until it reads", async () => {
    await using at = await Socketed.make();
    const { connections, server } = await at.deaf();
    const connected = once(server, "connection");
    const publisher = await at.publisher();
    await connected;
    const sending = publisher.send(big(), NEVER);
    expect(await isPending(sending, 200)).toBe(true);
    connections[0]!.resume();
    expect(await within(sending, "the send")).toBeUndefined();
  });

  it("is spoken of after five seconds, once for each time that it stands still", async () => {
    await using at = await Socketed.make();
    const { connections, server } = await at.deaf();
    const clock = new FakeClock();
    const log = recordingLogger();
    const connected = once(server, "connection");
    const publisher = await at.publisher(at.context({ clock, log }));
    await connected;
    const sending = publisher.send(big(), NEVER);
    await clock.advance(4999);
    expect(log.text()).toBe("");
    await clock.advance(1);
    expect(log.text()).toContain(`the consumer of ${at.url} has read nothing for 5000 ms`);
    connections[0]!.resume();
    await within(sending, "the send");
    await clock.advance(60_000);
    expect(clock.pending).toBe(0);
  });

  it("lets a send be given up, and then nothing more is sent over the connection", async () => {
    await using at = await Socketed.make();
    const { connections, server } = await at.deaf();
    const connected = once(server, "connection");
    const publisher = await at.publisher();
    await connected;
    const stop = new AbortController();
    const given = failure(publisher.send(big(), stop.signal));
    const behind = failure(publisher.send(text("behind"), NEVER));
    expect(await isPending(given, 100)).toBe(true);
    stop.abort();
    expect(await within(given, "the send")).toBe("MQB_STANDARD_IPC_GIVEN_UP");
    expect(await within(behind, "the send behind it")).toBe("MQB_STANDARD_IPC_CUT");
    expect(await failure(publisher.send(text("later"), NEVER))).toBe("MQB_STANDARD_IPC_CUT");
    expect(publisher.status?.().healthy).toBe(false);
    const ended = once(connections[0]!, "end");
    connections[0]!.resume();
    await within(ended, "the end of the connection");
  });

  it("lets the publisher be closed", async () => {
    await using at = await Socketed.make();
    const { server } = await at.deaf();
    const connected = once(server, "connection");
    const publisher = await at.publisher();
    await connected;
    const sending = failure(publisher.send(big(), NEVER));
    await within(publisher.close(), "closing");
    expect(await sending).toBe("MQB_STANDARD_MEMORY_CLOSED");
    expect(await failure(publisher.send(text("x"), NEVER))).toBe("MQB_STANDARD_MEMORY_CLOSED");
  });

  it("that is gone without a word makes every send fail that was not taken whole", async () => {
    await using at = await Socketed.make();
    const { connections, server } = await at.deaf();
    const connected = once(server, "connection");
    const publisher = await at.publisher();
    await connected;
    const sends = [failure(publisher.send(big(), NEVER)), failure(publisher.send(text("x"), NEVER))];
    expect(await isPending(Promise.all(sends), 100)).toBe(true);
    connections[0]!.destroy();
    expect(await within(Promise.all(sends), "the sends")).toEqual(["MQB_STANDARD_IPC_CUT", "MQB_STANDARD_IPC_CUT"]);
  });

  it("holds back: only little is read ahead", async () => {
    await using at = await Socketed.make();
    const consumer = await at.consumer();
    const publisher = await at.publisher();
    const sent: Promise<unknown>[] = [];
    for (let i = 0; i < 200; i++)
      sent.push(publisher.send(batchOf([new Message(Buffer.alloc(64 * 1024, `${i % 10}`))]), NEVER));
    expect(await isPending(Promise.all(sent), 300)).toBe(true);
    expect(consumer.status?.().pending).toBeLessThan(40);
    const { deliveries, messages } = await take(consumer, 200, 7);
    expect(messages.map((message) => message.payload[0])).toEqual(Array.from({ length: 200 }, (_, i) => 48 + (i % 10)));
    for (const delivery of deliveries) await delivery.commit();
    await within(Promise.all(sent), "the sends");
  });

  it("reads at most `capacity` batches ahead", async () => {
    await using at = await Socketed.make();
    const consumer = await at.consumer({ capacity: 2 });
    const publisher = await at.publisher();
    for (let i = 0; i < 6; i++) void publisher.send(batchOf([new Message(Buffer.alloc(100 * 1024))]), NEVER);
    await eventually(() => consumer.status?.().pending === 2, "two batches");
    expect(consumer.status?.()).toMatchObject({ pending: 2, capacity: 2 });
    await settle(consumer, 6);
  });
});
