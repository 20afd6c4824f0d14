import { once } from "node:events";
import { batchOf, type Clock, Message } from "@mqb/core/plugin";
import { fakeContext, integer, randomFrom } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { framesOf } from "../src/publisher/frames.ts";
import { Hub, never, openOutput } from "./support.ts";

const random = randomFrom(20_260_101);

/** Bytes of which no four follow each other again soon. */
function payloadOf(length: number): Buffer {
  const first = integer(random, 0, 255);
  return Buffer.from(Uint8Array.from({ length }, (_, i) => first + i * 7 + (i >> 8)));
}

describe("frames of a batch", () => {
  it("are what a server of the driver reads, whatever their lengths and where they begin", {
    timeout: 30_000,
  }, async () => {
    await using hub = await Hub.start();
    const publisher = await openOutput({ url: hub.url }, fakeContext<Clock>({}));
    const server = await hub.first();
    const lengths = [0, 1, 2, 3, 4, 5, 31, 32, 33, 34, 35, 125, 126, 127, 4_095, 65_535, 65_536, 65_537, 200_003];
    const some = Array.from({ length: 200 }, () => integer(random, 0, 300));
    const payloads = [...lengths, ...some, ...lengths].map(payloadOf);
    await publisher.send(batchOf(payloads.map((payload) => new Message(payload))), never());
    await server.texts(payloads.length);
    for (const [i, payload] of payloads.entries()) {
      expect(server.received[i]!.data.equals(payload), `frame ${i} of ${payload.length} bytes`).toBe(true);
    }
    await publisher.close();
  });

  it("stand whole beside the driver's own frames", { timeout: 30_000 }, async () => {
    await using hub = await Hub.start();
    const publisher = await openOutput({ url: hub.url }, fakeContext<Clock>({}));
    const server = await hub.first();
    for (let n = 0; n < 20; n++) {
      server.socket.ping();
      await publisher.send(batchOf([new Message(payloadOf(70_000)), new Message(`${n}`)]), never());
    }
    server.socket.ping();
    await once(server.socket, "pong");
    await server.texts(40);
    expect(server.received.map(({ data }) => data.length).filter((length) => length < 10)).toHaveLength(20);
    await publisher.close();
  });

  it("have a mask of their own each, and leave the payloads as they are", () => {
    const payload = Buffer.from("the same payload, longer than a few words");
    const before = Buffer.from(payload);
    const bytes = framesOf(batchOf(Array.from({ length: 50 }, () => new Message(payload))), 0, 50);
    const size = 6 + payload.length;
    const masks = Array.from({ length: 50 }, (_, i) => bytes.toString("hex", i * size + 2, i * size + 6));
    expect(new Set(masks).size).toBeGreaterThan(45);
    expect(payload.equals(before)).toBe(true);
  });
});
