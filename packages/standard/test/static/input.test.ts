import { ACK, NACK } from "@mqb/core/plugin";
import { texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER, TestBridge } from "../opened.ts";

const bridge = new TestBridge();

it("gives the body again and again, as many as asked for, as bytes of its own", async () => {
  const consumer = await bridge.consumer({ static: "hi" });
  for (const max of [3, 1_000, 3]) {
    const { batch } = await consumer.receive(max, NEVER);
    expect(texts(batch)).toEqual(new Array(max).fill("hi"));
  }
  const { batch } = await consumer.receive(2, NEVER);
  expect(batch.id(0)).not.toBe(batch.id(1));
  expect(batch.slab?.bytes.toString()).toBe("hi\nhi\n");
});

it("renders a template for each message and counts on", async () => {
  const consumer = await bridge.consumer({ static: { body: '{"n":${gen:counter}}', metadata: { k: "v" } } });
  const first = (await consumer.receive(2, NEVER)).batch;
  const second = (await consumer.receive(1, NEVER)).batch;
  expect([...texts(first), ...texts(second)]).toEqual(['{"n":0}', '{"n":1}', '{"n":2}']);
  expect(first.metadata(1).get("k")).toBe("v");
});

it("gives bodies with newlines and empty ones", async () => {
  for (const body of ["a\nb", ""]) {
    const consumer = await bridge.consumer({ static: body });
    expect(texts((await consumer.receive(3, NEVER)).batch)).toEqual([body, body, body]);
  }
});

it("gives one batch in a drain, and then the end", async () => {
  const context = bridge.context({ draining: true });
  const consumer = await bridge.consumer({ static: "hi" }, context);
  const first = await consumer.receive(5, NEVER);
  expect(first.batch.length).toBe(5);
  await first.commit();
  expect((await consumer.receive(5, NEVER)).batch.length).toBe(0);

  const again = await bridge.consumer({ static: "hi" }, context);
  expect((await again.receive(5, NEVER)).batch.length).toBe(0);
});

it("gives what was nacked of the batch of a drain again, and then the end", async () => {
  const context = bridge.context({ draining: true });
  const consumer = await bridge.consumer({ static: "n${gen:counter}" }, context);
  await (await consumer.receive(3, NEVER)).commit([NACK, ACK, NACK]);
  const second = await consumer.receive(3, NEVER);
  expect(texts(second.batch)).toEqual(["n0", "n2"]);
  await second.commit();
  expect((await consumer.receive(3, NEVER)).batch.length).toBe(0);
});

it("gives the batch of a drain again after a reconnect when it was not settled", async () => {
  const context = bridge.context({ draining: true });
  const endpoint = { static: "n${gen:counter}" };
  const first = await (await bridge.consumer(endpoint, context)).receive(2, NEVER);
  await first.commit([NACK, NACK]);
  const second = await (await bridge.consumer(endpoint, context)).receive(2, NEVER);
  expect(texts(second.batch)).toEqual(["n2", "n3"]);
});

it("does not fill the memory for a huge batch size", async () => {
  for (const endpoint of [{ static: "x".repeat(1_000) }, { static: "${gen:counter}" }]) {
    const { batch } = await (await bridge.consumer(endpoint)).receive(100_000_000, NEVER);
    expect(batch.length).toBe(100_000);
    expect(batch.slab!.bytes.length).toBeLessThan(5_000_000);
  }
});

it("stops with its signal", async () => {
  const consumer = await bridge.consumer({ static: "hi" });
  expect((await consumer.receive(5, AbortSignal.abort())).batch.length).toBe(0);
});
