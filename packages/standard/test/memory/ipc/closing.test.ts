import { once } from "node:events";
import { existsSync } from "node:fs";
import { batchOf, Message } from "@mqb/core/plugin";
import { eventually, isPending, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { NEVER } from "../../opened.ts";
import { failure, Socketed, settle, text } from "./setup.ts";

describe("a consumer that closes", () => {
  it("takes in what publishers are writing, tells them, and takes its socket away", async () => {
    await using at = await Socketed.make();
    const first = await at.consumer();
    const publisher = await at.publisher();
    const sends: Promise<string | undefined>[] = [];
    for (let i = 0; i < 40; i++)
      sends.push(failure(publisher.send(batchOf([new Message(`${i} ${"x".repeat(50_000)}`)]), NEVER)));
    const before = await settle(first, 3, () => ({ type: "ack" }));
    await within(first.close(), "closing");
    expect(existsSync(at.path)).toBe(false);
    const codes = await within(Promise.all(sends), "the sends");
    expect(await failure(publisher.send(text("late"), NEVER))).toBe("MQB_STANDARD_IPC_CUT");
    await publisher.close();

    const second = await at.consumer();
    const taken = codes.filter((code) => code === undefined).length;
    const rest = taken > before.length ? await settle(second, taken - before.length) : [];
    const numbers = [...before, ...rest].map((one) => Number(one.split(" ")[0]));
    expect(numbers).toEqual(Array.from({ length: taken }, (_, i) => i));
  });

  it("does not wait long for publishers that notice nothing", async () => {
    await using at = await Socketed.make();
    const consumer = await at.consumer();
    const client = await at.client();
    await eventually(() => consumer.status?.().details?.["connections"] === 1, "the connection");
    const gone = once(client, "close");
    client.resume();
    client.pause();
    await within(consumer.close(), "closing", 1500);
    client.resume();
    await within(gone, "the end of the client's connection");
  });

  it("wakes a receive that waits", async () => {
    await using at = await Socketed.make();
    const consumer = await at.consumer();
    const receiving = consumer.receive(1, NEVER);
    expect(await isPending(receiving)).toBe(true);
    await consumer.close();
    expect((await within(receiving, "the receive")).batch.length).toBe(0);
  });

  it("lets another one listen at once", async () => {
    await using at = await Socketed.make();
    for (let round = 0; round < 5; round++) {
      const consumer = await at.consumer();
      const publisher = await at.publisher();
      await publisher.send(text(`${round}`), NEVER);
      expect(await settle(consumer, 1)).toEqual([`${round}`]);
      await consumer.close();
    }
  });
});

it("a second consumer at the socket is refused", async () => {
  await using at = await Socketed.make();
  await at.consumer();
  expect(await failure(at.consumer())).toBe("MQB_STANDARD_IPC_IN_USE");
});
