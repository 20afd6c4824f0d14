import { messageBatch } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER, TestBridge } from "../opened.ts";

it("answers each message with itself", async () => {
  const publisher = await new TestBridge().publisher({ response: {} });
  const batch = messageBatch(3, { metadata: true });
  expect(await publisher.send(batch, NEVER)).toEqual([...batch].map((message) => ({ type: "replied", message })));
});

it("answers the sender through a topic", async () => {
  const bridge = new TestBridge();
  const asking = await bridge.publisher({ memory: { topic: "t", request_reply: true } });
  const consumer = await bridge.consumer({ memory: { topic: "t" } });
  const answering = await bridge.publisher({ response: {} });
  const asked = asking.send(messageBatch(1), NEVER);
  const delivery = await consumer.receive(10, NEVER);
  const outcomes = await answering.send(delivery.batch, NEVER);
  await delivery.commit(
    outcomes!.map((one) => (one.type === "replied" ? { type: "reply", message: one.message } : { type: "ack" })),
  );
  const [outcome] = (await asked)!;
  expect(outcome?.type === "replied" && outcome.message.text()).toBe("message 0");
});
