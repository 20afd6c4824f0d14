import { Message, NACK, reply } from "@mqb/core/plugin";
import { eventually, messageBatch, recordingLogger, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { NEVER } from "../../opened.ts";
import { Socketed, settle, take, text } from "./setup.ts";

describe("messages that are nacked", () => {
  it("come again before new ones, in their order", async () => {
    await using at = await Socketed.make();
    const consumer = await at.consumer();
    const publisher = await at.publisher();
    await publisher.send(text("a", "b", "c"), NEVER);
    await settle(consumer, 3, (message) => (message.text() === "b" ? { type: "ack" } : NACK));
    await publisher.send(text("d"), NEVER);
    await eventually(() => consumer.status?.().pending === 2, "the new message");
    expect(await settle(consumer, 3)).toEqual(["a", "c", "d"]);
  });

  it("are lost without `enable_nack`, and that is said", async () => {
    await using at = await Socketed.make();
    const log = recordingLogger();
    const consumer = await at.consumer({ enable_nack: false }, at.context({ log }));
    const publisher = await at.publisher();
    await publisher.send(text("a", "b"), NEVER);
    await settle(consumer, 2, () => NACK);
    expect(log.text()).toContain(`2 nacked message(s) of the memory topic ${at.url} are lost`);
    await publisher.send(text("c"), NEVER);
    expect(await settle(consumer, 1)).toEqual(["c"]);
  });

  it("are kept with all that is not settled for the next consumer of the process, and that is said", async () => {
    await using at = await Socketed.make();
    const log = recordingLogger();
    const consumer = await at.consumer({}, at.context({ log }));
    const publisher = await at.publisher();
    await publisher.send(text("a", "b", "c"), NEVER);
    const { deliveries } = await take(consumer, 2, 2);
    await eventually(() => consumer.status?.().pending === 1, "the third message");
    await consumer.close();
    expect(log.text()).toContain("3 message(s)");
    await expect(deliveries[0]!.commit()).rejects.toMatchObject({ code: "MQB_STANDARD_MEMORY_RETURNED" });
    expect(await settle(await at.consumer(), 3)).toEqual(["a", "b", "c"]);
  });
});

it("an answer goes nowhere, which is said once", async () => {
  await using at = await Socketed.make();
  const log = recordingLogger();
  const consumer = await at.consumer({}, at.context({ log }));
  const publisher = await at.publisher();
  await publisher.send(text("a", "b"), NEVER);
  await settle(consumer, 2, () => reply(new Message("answer")));
  expect(log.entries.filter(({ level }) => level === "warn")).toHaveLength(1);
  expect(log.text()).toContain(`answers to messages of ${at.url} go nowhere`);
});

it("a batch is cut to what is asked for", async () => {
  await using at = await Socketed.make();
  const consumer = await at.consumer();
  const publisher = await at.publisher();
  await publisher.send(messageBatch(10), NEVER);
  expect(texts((await consumer.receive(4, NEVER)).batch)).toEqual(["message 0", "message 1", "message 2", "message 3"]);
  expect((await consumer.receive(100, NEVER)).batch.length).toBe(6);
});
