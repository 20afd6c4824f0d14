import { ACK, type Delivery, Message, nack } from "@mqb/core/plugin";
import { messages, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { compressedMessages, decompressedSource, NEVER } from "./compressing.ts";

const REASON = new Error("not now");
const LARGE = 33 * 1024 * 1024;
const PATIENCE_MS = 60_000;

/** Five messages, of which the second and the fourth each end a portion. */
const large = new Message(Buffer.alloc(LARGE));
const compressed = await compressedMessages("lz4", [...messages(3), large]).then(([a, b, c, end]) => [
  a!,
  end!,
  b!,
  end!,
  c!,
]);

const inPortions = (config = {}) => decompressedSource({ algorithm: "lz4", ...config });

async function receiveAll(consumer: { receive(max: number, signal: AbortSignal): Promise<Delivery> }, count: number) {
  const deliveries: Delivery[] = [];
  for (let i = 0; i < count; i++) deliveries.push(await consumer.receive(10, NEVER));
  return deliveries;
}

it(
  "the source hears of a delivery once, with the fate of each message at its place",
  async () => {
    const { source, consumer } = await inPortions();
    source.push(compressed);
    const [a, b, c] = await receiveAll(consumer, 3);
    expect([a, b, c].map((one) => one!.batch.length)).toEqual([2, 2, 1]);
    expect(texts(c!.batch)).toEqual(["message 2"]);
    await a!.commit();
    await b!.commit([nack(REASON), ACK]);
    expect(source.commits).toHaveLength(0);
    await c!.commit();
    expect(source.commits[0]!.dispositions).toEqual([ACK, ACK, nack(REASON), ACK, ACK]);
  },
  PATIENCE_MS,
);

it(
  "no more than asked for is handed out of what is left",
  async () => {
    const { source, consumer } = await inPortions();
    source.push(compressed);
    const first = await consumer.receive(10, NEVER);
    expect(first.batch.length).toBe(2);
    expect((await consumer.receive(1, NEVER)).batch.length).toBe(1);
    expect((await consumer.receive(1, NEVER)).batch.length).toBe(1);
    expect(source.asked).toEqual([10]);
  },
  PATIENCE_MS,
);

it(
  "at the end the source keeps what has settled, and takes the rest back",
  async () => {
    const { source, consumer } = await inPortions();
    source.push(compressed);
    const [a] = await receiveAll(consumer, 2);
    await a!.commit();
    await consumer.close();
    expect(source.commits[0]!.dispositions?.map(({ type }) => type)).toEqual(["ack", "ack", "nack", "nack", "nack"]);
    expect(source.closed).toBe(true);
  },
  PATIENCE_MS,
);

it(
  "at the end nothing is said of a delivery of which nothing has settled",
  async () => {
    const { source, consumer } = await inPortions();
    source.push(compressed);
    await receiveAll(consumer, 1);
    await consumer.close();
    expect(source.commits).toHaveLength(0);
  },
  PATIENCE_MS,
);

it(
  "a payload that ends the route is met after the portions before it",
  async () => {
    const { source, consumer } = await inPortions();
    source.push([...compressed.slice(0, 2), new Message("no frame")]);
    const [a] = await receiveAll(consumer, 1);
    await expect(consumer.receive(10, NEVER)).rejects.toMatchObject({ code: "MQB_COMPRESSION_UNREADABLE" });
    await a!.commit();
    await consumer.close();
    expect(source.commits[0]!.dispositions?.map(({ type }) => type)).toEqual(["ack", "ack", "nack"]);
  },
  PATIENCE_MS,
);

it(
  "what is dropped in a portion is acked with it, and an emptied portion is not the end",
  async () => {
    const { source, context, consumer } = await inPortions({ on_error: "drop" });
    context.accounting.receive(3);
    source.push([...compressed.slice(0, 2), new Message("no frame")]);
    const [a, b] = await receiveAll(consumer, 2);
    expect(b).toMatchObject({ emptied: true, batch: { length: 0 } });
    await b!.commit();
    await a!.commit();
    expect(source.commits[0]!.dispositions).toBeUndefined();
    expect(context.accounting.snapshot()).toMatchObject({ filtered: 1, inFlight: 2 });
  },
  PATIENCE_MS,
);
