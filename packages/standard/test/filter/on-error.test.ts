import { batchOf, FILTERED, Message } from "@mqb/core/plugin";
import { texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { filteredSink, filteredSource } from "./setup.ts";

const DROP = { expression: "drop", on_error: "drop" };
const some = (...payloads: string[]) => batchOf(payloads.map((text) => new Message(text)));
const FAILED = {
  code: "MQB_STANDARD_FILTER_FAILED",
  kind: "config",
  message: expect.stringMatching(/filter "drop".*1 of 3 messages.*cannot read broken/),
};

it("stops the route on an input, and leaves the batch with its source", async () => {
  const { source, consumer } = await filteredSource();
  source.push(some("a", "broken", "b"));
  await expect(consumer.receive(10, NEVER)).rejects.toMatchObject(FAILED);
  expect(source.commits).toEqual([]);
});

it("stops the route after what was read before", async () => {
  const { source, consumer } = await filteredSource();
  source.push(some("a", "drop 1", "drop 2", "drop 3")).push(some("b", "broken", "c"));
  expect(texts((await consumer.receive(4, NEVER)).batch)).toEqual(["a"]);
  await expect(consumer.receive(4, NEVER)).rejects.toMatchObject(FAILED);
});

it("drops on an input what cannot be evaluated, with one warning per batch", async () => {
  const { source, context, consumer } = await filteredSource(DROP);
  source.push(some("a", "broken 1", "drop", "broken 2"));
  const delivery = await consumer.receive(10, NEVER);
  expect(texts(delivery.batch)).toEqual(["a"]);
  expect(context.log.at("warn")).toEqual([expect.stringMatching(/dropped 2 message\(s\).*cannot read broken 1/)]);
  expect(context.accounting.get("filtered")).toBe(3);
});

it("stops the route on an output, and sends nothing of the batch", async () => {
  const { sink, publisher } = await filteredSink();
  await expect(publisher.send(some("a", "broken", "b"), NEVER)).rejects.toMatchObject(FAILED);
  expect(sink.sends).toEqual([]);
});

it("drops on an output what cannot be evaluated", async () => {
  const { sink, publisher } = await filteredSink(DROP);
  const outcomes = await publisher.send(some("a", "broken"), NEVER);
  expect(outcomes).toEqual([{ type: "accepted" }, FILTERED]);
  expect(texts(sink.messages)).toEqual(["a"]);
});
