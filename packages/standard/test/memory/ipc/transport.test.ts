import { once } from "node:events";
import { existsSync } from "node:fs";
import { batchOf, codeOf, Message, NACK, reply } from "@mqb/core/plugin";
import { eventually, FakeClock, isPending, messageBatch, recordingLogger, texts, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { NEVER } from "../../opened.ts";
import { framed } from "./frames.ts";
import { Socketed, settle, take } from "./setup.ts";

const text = (...list: string[]) => batchOf(list.map((one) => new Message(one)));

async function failure(promise: Promise<unknown>): Promise<string | undefined> {
  return await promise.then(
    () => undefined,
    (error: unknown) => codeOf(error),
  );
}

describe("publishers", () => {
  it("may be many, and all are read at once", async () => {
    await using at = await Socketed.make();
    const consumer = await at.consumer();
    const publishers = await Promise.all([at.publisher(), at.publisher(), at.publisher()]);
    for (let round = 0; round < 3; round++) {
      await Promise.all(publishers.map((publisher, i) => publisher.send(text(`${i}`), NEVER)));
      expect((await settle(consumer, 3)).sort()).toEqual(["0", "1", "2"]);
    }
    expect(consumer.status?.()).toMatchObject({ healthy: true, details: { mode: "transport", connections: 3 } });
  });

  it("keep their order", async () => {
    await using at = await Socketed.make();
    const consumer = await at.consumer();
    const publisher = await at.publisher();
    const sends = Array.from({ length: 50 }, (_, i) => publisher.send(text(`${i}a`, `${i}b`), NEVER));
    await Promise.all(sends);
    expect(await settle(consumer, 100)).toEqual(Array.from({ length: 50 }, (_, i) => [`${i}a`, `${i}b`]).flat());
  });

  it("find nobody before there is a consumer, and say so", async () => {
    await using at = await Socketed.make();
    expect(await failure(at.publisher())).toBe("MQB_STANDARD_IPC_UNREACHABLE");
    const deaf = await at.deaf();
    const moved = once(deaf.server, "close");
    deaf.server.close();
    await moved;
    expect(await failure(at.publisher())).toBe("MQB_STANDARD_IPC_UNREACHABLE");
  });

  it("leave their last message behind when they close at once", async () => {
    await using at = await Socketed.make();
    const consumer = await at.consumer();
    for (let round = 0; round < 20; round++) {
      const publisher = await at.publisher();
      await publisher.send(text(`last ${round}`), NEVER);
      await publisher.close();
    }
    expect((await settle(consumer, 20)).sort()).toEqual(Array.from({ length: 20 }, (_, i) => `last ${i}`).sort());
  });
});

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

it("a batch is cut to what is asked for", async () => {
  await using at = await Socketed.make();
  const consumer = await at.consumer();
  const publisher = await at.publisher();
  await publisher.send(messageBatch(10), NEVER);
  expect(texts((await consumer.receive(4, NEVER)).batch)).toEqual(["message 0", "message 1", "message 2", "message 3"]);
  expect((await consumer.receive(100, NEVER)).batch.length).toBe(6);
});
