import { once } from "node:events";
import { eventually, isPending, recordingLogger, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { FrameWriter } from "../../../src/memory/ipc/frame-writer.ts";
import { NEVER } from "../../opened.ts";
import { framed } from "./frames.ts";
import { Socketed, settle, text } from "./setup.ts";

describe("a client that sends no frames", () => {
  it.each([
    ["a length of gigabytes", Buffer.from("ffffffff", "hex"), "4294967295 bytes"],
    ["another protocol", Buffer.from("GET / HTTP/1.1\r\n\r\n"), "allowed"],
    ["wrong types", framed(Buffer.from("91920190c0", "hex")), "the id is not text"],
    ["half a message", framed(Buffer.from("9192d924303030", "hex")), "too early"],
    ["an empty frame", Buffer.alloc(4), "empty"],
  ])("but %s is cut off with a coded warning, and disturbs nobody", async (_, bytes, reason) => {
    await using at = await Socketed.make();
    const log = recordingLogger();
    const consumer = await at.consumer({}, at.context({ log }));
    const publisher = await at.publisher();
    const client = await at.client();
    const ended = once(client, "close");
    client.resume();
    client.write(bytes);
    await within(ended, "the end of the connection");
    await eventually(() => log.entries.length > 0, "the warning");
    expect(log.entries).toEqual([
      expect.objectContaining({
        level: "warn",
        message: expect.stringContaining(reason),
        fields: expect.objectContaining({ code: "MQB_STANDARD_IPC_FRAME" }),
      }),
    ]);
    await publisher.send(text("still here"), NEVER);
    expect(await settle(consumer, 1)).toEqual(["still here"]);
    expect(consumer.status?.()).toMatchObject({ healthy: true, details: { refused: 1 } });
  });

  it("but goes away in the middle of one leaves nothing of it", async () => {
    await using at = await Socketed.make();
    const log = recordingLogger();
    const consumer = await at.consumer({}, at.context({ log }));
    const client = await at.client();
    client.end(Buffer.from("0000ffff91", "hex"));
    await eventually(() => log.text().includes("in the middle"), "the warning");
    const publisher = await at.publisher();
    await publisher.send(text("whole"), NEVER);
    expect(await settle(consumer, 1)).toEqual(["whole"]);
  });
});

it("half a frame waits for its rest, also when nobody waits for it any more", async () => {
  await using at = await Socketed.make();
  const consumer = await at.consumer();
  const client = await at.client();
  const frame = new FrameWriter().write(text("whole"), 0, 1)!;
  client.write(frame.subarray(0, 20));
  const stop = new AbortController();
  const waiting = consumer.receive(1, stop.signal);
  expect(await isPending(waiting, 100)).toBe(true);
  stop.abort();
  expect((await waiting).batch.length).toBe(0);
  client.write(frame.subarray(20));
  expect(await settle(consumer, 1)).toEqual(["whole"]);
});
