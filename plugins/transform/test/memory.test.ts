import { Message, type MessageBatch, type Publisher } from "@mqb/core/plugin";
import { fakeContext, ScriptedConsumer, slabOf } from "@mqb/testkit";
import { expect, it } from "vitest";
import plugin from "../src/index.ts";
import { never } from "./transforming.ts";

const transform = plugin.middlewares!["transform"]!;
const mapping = { mapping: { k: "$.k" } };

const documents = (): MessageBatch => slabOf([new Message('{"k":1}'), new Message('{"k":2}')]);

/** The memory of each batch that went through, and a sink that settles when the test says so. */
class Sink implements Publisher {
  readonly memory: ArrayBufferLike[] = [];
  settle: (error?: Error) => void = () => {};

  send(batch: MessageBatch): Promise<undefined> {
    this.memory.push(batch.slab!.bytes.buffer);
    return new Promise((resolve, reject) => {
      this.settle = (error) => (error ? reject(error) : resolve(undefined));
    });
  }

  async close(): Promise<void> {}
}

async function sentTwice(keepsNothing: boolean, error?: Error): Promise<boolean> {
  const sink = new Sink();
  const context = fakeContext({ side: "output", below: { keepsNothing } });
  const publisher = await transform.output!(sink, mapping, context);
  for (let i = 0; i < 2; i++) {
    const sending = publisher.send(documents(), never).catch((thrown: unknown) => expect(thrown).toBe(error));
    sink.settle(error);
    await sending;
  }
  return sink.memory[0] === sink.memory[1];
}

it("writes over what a sink that keeps nothing has taken, and over nothing else", async () => {
  expect(await sentTwice(true)).toBe(true);
  expect(await sentTwice(false)).toBe(false);
  expect(await sentTwice(true, new Error("it may still be at work"))).toBe(false);
});

it("writes over no batch that is on its way", async () => {
  const sink = new Sink();
  const publisher = await transform.output!(
    sink,
    mapping,
    fakeContext({ side: "output", below: { keepsNothing: true } }),
  );
  const first = publisher.send(documents(), never);
  const settleFirst = sink.settle;
  const second = publisher.send(documents(), never);
  expect(sink.memory[0]).not.toBe(sink.memory[1]);
  settleFirst();
  sink.settle();
  await Promise.all([first, second]);
});

it("of an input writes over what the route has released, and hands that on", async () => {
  const source = new ScriptedConsumer();
  let released = 0;
  const receive = source.receive.bind(source);
  source.receive = async (max, signal) => ({ ...(await receive(max, signal)), release: () => void released++ });
  const consumer = await transform.input!(source, mapping, fakeContext());
  const memory: ArrayBufferLike[] = [];
  for (let i = 0; i < 3; i++) {
    source.push(documents());
    const delivery = await consumer.receive(10, never);
    memory.push(delivery.batch.slab!.bytes.buffer);
    await delivery.commit();
    if (i > 0) delivery.release!();
  }
  expect(released).toBe(2);
  expect([memory[1] === memory[0], memory[2] === memory[1]]).toEqual([false, true]);
});
