import { once } from "node:events";
import { batchOf, type Clock, Message } from "@mqb/core/plugin";
import { eventually, FakeClock, FaultProxy, fakeContext, isPending, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { WebSocketConfig } from "../src/schema.ts";
import { Hub, listening, never, openInput, openOutput, receive, Talker } from "./support.ts";

const KIBIBYTE = Buffer.alloc(1024, "x");

describe("a client that sends too much", () => {
  it("is closed with 1009 for a message that is too large; others go on", async () => {
    const { consumer, url } = await listening({ max_message_bytes: 1000 });
    const [large, small] = [await Talker.connect(url), await Talker.connect(url)];
    large!.socket.send(Buffer.alloc(1001));
    expect(await within(large!.closed, "the close")).toMatchObject({ code: 1009 });
    small!.socket.send(Buffer.alloc(1000));
    expect((await receive(consumer, 1))[0]!.payload).toHaveLength(1000);
    await consumer.close();
  });

  it("is closed with 1007 for a text that is no UTF-8", async () => {
    const { consumer, url } = await listening();
    const client = await Talker.connect(url);
    client.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(await within(client.closed, "the close")).toMatchObject({ code: 1007 });
    await consumer.close();
  });

  it("is not read from while the queue is full, and loses nothing", { timeout: 30_000 }, async () => {
    const { consumer, url } = await listening({ routed_queue_capacity: 10 });
    const client = await Talker.connect(url);
    const count = 10_000;
    for (let n = 0; n < count; n++) client.socket.send(Buffer.concat([Buffer.from(`${n} `), KIBIBYTE]));
    await eventually(() => (consumer.status!().pending ?? 0) >= 10, "a full queue");
    // What the system and one read of the socket hold comes before it stops.
    await eventually(() => client.socket.bufferedAmount > 0, "a client that has to wait");
    const before = consumer.status!().pending!;
    expect(before).toBeLessThan(200);
    const numbers: number[] = [];
    while (numbers.length < count) {
      const { batch, commit } = await consumer.receive(512, never());
      for (const message of batch) numbers.push(Number.parseInt(message.text(), 10));
      await commit();
    }
    expect(numbers).toEqual(Array.from({ length: count }, (_, n) => n));
    await consumer.close();
  });

  it("is not read from while it does not read its answers", { timeout: 30_000 }, async () => {
    const { consumer, url } = await listening();
    const client = await Talker.connect(url);
    client.socket.pause();
    const answer = { type: "reply", message: new Message(Buffer.alloc(4 * 1024 * 1024)) } as const;
    client.socket.send("first");
    const { batch, commit } = await consumer.receive(1, never());
    expect(batch.length).toBe(1);
    await commit([answer]);
    client.socket.send("second");
    const waiting = consumer.receive(1, never());
    expect(await isPending(waiting, 200)).toBe(true);
    client.socket.resume();
    expect((await within(waiting, "the second message")).batch.at(0).text()).toBe("second");
    await consumer.close();
  });
});

describe("an input that is closed", () => {
  it("takes only so much more of clients that go on sending, and cuts them off", async () => {
    const { consumer, url, context } = await listening({ routed_queue_capacity: 2 });
    const client = await Talker.connect(url);
    for (let n = 0; n < 400; n++) client.socket.send(Buffer.alloc(64 * 1024));
    await eventually(() => (consumer.status!().pending ?? 0) >= 2, "a full queue");
    await within(consumer.close(), "the close");
    const kept = context.session.get("websocket intake") as { length: number };
    expect(kept.length).toBeLessThan(20);
    await within(client.closed, "the end of the client");
  });

  it("whose address is away is opened again later, and is an error of the configuration at the start", async () => {
    const away: WebSocketConfig = { url: "192.0.2.1:0" };
    await expect(openInput(away, fakeContext<Clock>({}))).rejects.toMatchObject({ kind: "config" });
    const { consumer, context } = await listening();
    await consumer.close();
    await expect(openInput(away, context)).rejects.toMatchObject({
      code: "MQB_WEBSOCKET_LISTEN",
      kind: "connection",
    });
  });
});

describe("a server that does not read", () => {
  it("holds the output up after a bounded number of bytes; on its close what is not sent has failed", async () => {
    await using hub = await Hub.start();
    const publisher = await openOutput({ url: hub.url }, fakeContext<Clock>({}));
    const server = await hub.first();
    server.socket.pause();
    const batch = batchOf(Array.from({ length: 64 * 1024 }, () => new Message(KIBIBYTE)));
    const sending = publisher.send(batch, never());
    sending.catch(() => {});
    expect(await isPending(sending, 200)).toBe(true);
    expect(publisher.status!().details!["unsent_bytes"]).toBeLessThan(8 * 1024 * 1024);
    server.socket.terminate();
    await expect(within(sending, "the end of the send")).rejects.toMatchObject({
      code: "MQB_WEBSOCKET_CUT",
      kind: "connection",
    });
    await publisher.close();
  });
});

describe("a peer that is gone without a word", () => {
  it("is found by an output within two intervals", async () => {
    const clock = new FakeClock();
    await using hub = await Hub.start();
    await using proxy = await FaultProxy.to({ host: "127.0.0.1", port: hub.port });
    const url = `ws://127.0.0.1:${proxy.address.port}`;
    const publisher = await openOutput({ url, ping_interval_ms: 1000 }, fakeContext({ clock: clock as Clock }));
    const server = await hub.first();
    for (let interval = 0; interval < 5; interval++) {
      const pinged = once(server.socket, "ping");
      await clock.advance(1000);
      await within(pinged, "a ping");
      // The answer to it has arrived when one to a later ping has come back.
      server.socket.ping();
      await within(once(server.socket, "pong"), "a pong");
    }
    expect(publisher.status!().healthy).toBe(true);
    proxy.abandon();
    await clock.advance(2000);
    await eventually(() => !publisher.status!().healthy, "the end of the connection");
    await expect(publisher.send(batchOf([new Message("x")]), never())).rejects.toMatchObject({
      code: "MQB_WEBSOCKET_CUT",
      message: expect.stringContaining("does not answer pings"),
    });
    await publisher.close();
  });

  it("is not thought of while a server takes what it is sent, also when it answers no ping", async () => {
    const clock = new FakeClock();
    await using hub = await Hub.start({ autoPong: false });
    const publisher = await openOutput(
      { url: hub.url, ping_interval_ms: 1000 },
      fakeContext({ clock: clock as Clock }),
    );
    for (let interval = 0; interval < 5; interval++) {
      await publisher.send(batchOf([new Message(`${interval}`)]), never());
      await clock.advance(1000);
    }
    expect(publisher.status!().healthy).toBe(true);
    await clock.advance(2000);
    await eventually(() => !publisher.status!().healthy, "the end of the connection");
    await publisher.close();
  });

  it("is found by an input, and its place is free again", async () => {
    const clock = new FakeClock();
    const { consumer, url } = await listening({ ping_interval_ms: 1000 }, fakeContext({ clock: clock as Clock }));
    const [, host = "", port] = /\/\/(.*):(\d+)/.exec(url)!;
    await using proxy = await FaultProxy.to({ host, port: Number(port) });
    await Talker.connect(`ws://127.0.0.1:${proxy.address.port}`);
    const alive = await Talker.connect(url);
    proxy.abandon();
    const connections = (): unknown => consumer.status!().details!["connections"];
    expect(connections()).toBe(2);
    const pinged = new Promise((resolve) => alive.socket.once("ping", resolve));
    await clock.advance(1000);
    await within(pinged, "a ping");
    alive.socket.send("a sign of life");
    await receive(consumer, 1);
    await clock.advance(1000);
    await eventually(() => connections() === 1, "the end of the lost client");
    alive.socket.terminate();
    await alive.closed;
    await consumer.close();
  });

  it("is not thought of while the input does not read it", async () => {
    const clock = new FakeClock();
    const { consumer, url } = await listening(
      { ping_interval_ms: 1000, routed_queue_capacity: 1 },
      fakeContext({ clock: clock as Clock }),
    );
    const client = await Talker.connect(url);
    client.socket.send("fills the queue");
    await eventually(() => consumer.status!().pending === 1, "a full queue");
    await clock.advance(60_000);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    client.socket.terminate();
    await client.closed;
    await consumer.close();
  });
});
