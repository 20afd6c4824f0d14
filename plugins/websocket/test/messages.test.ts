import type { Clock } from "@mqb/core/plugin";
import { ACK, batchOf, hashId, Message, nack, reply } from "@mqb/core/plugin";
import { fakeContext } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { Hub, listening, never, openOutput, receive, Talker } from "./support.ts";

describe("what a message carries", () => {
  it("says what the frame and the handshake were, without credentials", async () => {
    const { consumer, url } = await listening();
    const client = await Talker.connect(`${url}/feed?token=1`, {
      headers: {
        "X-Tenant": "north",
        authorization: "Bearer t",
        cookie: "a=b",
        "proxy-authorization": "Basic x",
        "x-api-key": "k",
        "x-session-id": "s",
      },
    });
    client.socket.send("text");
    client.socket.send(Buffer.from([0, 255]));
    const [text, binary] = await receive(consumer, 2);
    expect(text!.metadata.get("ws_message_type")).toBe("text");
    expect(binary!.metadata.get("ws_message_type")).toBe("binary");
    expect(Buffer.from(binary!.payload)).toEqual(Buffer.from([0, 255]));
    expect(text!.metadata.get("ws_path")).toBe("/feed");
    expect(text!.metadata.get("ws_peer_addr")).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(text!.metadata.get("ws_header.x-tenant")).toBe("north");
    const headers = [...text!.metadata.keys()].filter((key) => key.startsWith("ws_header."));
    expect(headers.filter((key) => /auth|cookie|api-key|session/.test(key))).toEqual([]);
    await consumer.close();
  });

  it("has the id of the handshake's header, and a stable one of its own behind the first message", async () => {
    const { consumer, url } = await listening({ message_id_header: "X-Id" });
    const client = await Talker.connect(url, { headers: { "x-id": "0x2a" } });
    for (const text of ["a", "b", "c"]) client.socket.send(text);
    const ids = (await receive(consumer, 3)).map(({ id }) => id);
    expect(ids).toEqual(["00000000-0000-0000-0000-00000000002a", hashId("0x2a#2"), hashId("0x2a#3")]);
    await consumer.close();
  });

  it("has a fresh id without the header", async () => {
    const { consumer, url } = await listening();
    const client = await Talker.connect(url);
    for (const text of ["a", "b"]) client.socket.send(text);
    const [a, b] = await receive(consumer, 2);
    expect(a!.id).not.toBe(b!.id);
    await consumer.close();
  });

  it("has a correlation_id with execution_mode: direct_only", async () => {
    const { consumer, url, context } = await listening({ execution_mode: "direct_only" });
    const client = await Talker.connect(url);
    client.socket.send("a");
    const { batch, commit } = await consumer.receive(1, never());
    expect(batch.metadata(0).get("correlation_id")).toBe(batch.id(0));
    await commit();
    expect(JSON.stringify(context.log)).toContain("the output of the route gives none");
    await consumer.close();
  });
});

describe("the type of a frame", () => {
  const payloads: readonly [name: string, payload: Uint8Array | string, type: string | undefined, binary: boolean][] = [
    ["text that is UTF-8", "é", undefined, false],
    ["bytes that are none", Buffer.from([0xff]), undefined, true],
    ["text as binary, when the metadata says so", "x", "binary", true],
    ["text, when the metadata says so", "x", "text", false],
    ["binary in spite of the metadata, for what is no UTF-8", Buffer.from([0xff]), "text", true],
    ["text, when the metadata says something else", "x", "ping", false],
    ["an empty text", "", undefined, false],
  ];

  it.each(payloads)("of an output: %s", async (_, payload, type, binary) => {
    await using hub = await Hub.start();
    const publisher = await openOutput({ url: hub.url }, fakeContext<Clock>({}));
    const metadata = type === undefined ? undefined : new Map([["ws_message_type", type]]);
    await publisher.send(batchOf([new Message(payload, metadata)]), never());
    const talker = await hub.first();
    await talker.texts(1);
    expect(talker.received[0]).toEqual({ data: Buffer.from(payload), binary });
    await publisher.close();
  });

  it("of an answer is that of its message, wherever the two were in the batch", async () => {
    const { consumer, url } = await listening();
    const client = await Talker.connect(url);
    client.socket.send("one");
    client.socket.send(Buffer.from("two"));
    client.socket.send("three");
    const { batch, commit } = await consumer.receive(10, never());
    expect(batch.length).toBe(3);
    await commit([reply(batch.at(0)), reply(batch.at(1)), ACK]);
    await client.texts(2);
    expect(client.received.map(({ data, binary }) => [data.toString(), binary])).toEqual([
      ["one", false],
      ["two", true],
    ]);
    await consumer.close();
  });
});

describe("messages that the route does not take", () => {
  it("come again, before the others", async () => {
    const { consumer, url } = await listening();
    const client = await Talker.connect(url);
    for (const text of ["a", "b", "c"]) client.socket.send(text);
    const { commit } = await consumer.receive(2, never());
    await commit([nack(new Error("not now")), ACK]);
    const again = await receive(consumer, 2);
    expect(again.map((message) => message.text())).toEqual(["a", "c"]);
    await consumer.close();
  });

  it("go behind the others when they came back often, so that they hold nothing up", async () => {
    const { consumer, url } = await listening();
    const client = await Talker.connect(url);
    for (const text of ["bad", "good"]) client.socket.send(text);
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) {
      const { batch, commit } = await consumer.receive(1, never());
      seen.push(batch.at(0).text());
      await commit([nack(new Error("never"))]);
    }
    expect(seen).toEqual(["bad", "bad", "bad", "good"]);
    await consumer.close();
  });

  it("are kept over a reconnect of the route, in their order", async () => {
    const context = fakeContext<Clock>({});
    const first = await listening({}, context);
    const client = await Talker.connect(first.url);
    for (const text of ["a", "b", "c"]) client.socket.send(text);
    const { batch, commit } = await first.consumer.receive(2, never());
    expect(batch.length).toBe(2);
    await first.consumer.close();
    await expect(commit()).rejects.toMatchObject({ code: "MQB_WEBSOCKET_CLOSED", kind: "connection" });
    expect(JSON.stringify(context.log)).toContain("lost when it ends");
    const second = await listening({}, context);
    expect((await receive(second.consumer, 3)).map((message) => message.text())).toEqual(["a", "b", "c"]);
    await second.consumer.close();
  });
});
