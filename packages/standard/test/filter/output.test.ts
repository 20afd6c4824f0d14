import { ACCEPTED, batchOf, FILTERED, failed, Message } from "@mqb/core/plugin";
import { lineBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { busy } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { filteredSink } from "./setup.ts";

const some = (...payloads: string[]) => batchOf(payloads.map((text) => new Message(text)));

it("sends only what matches, and settles the rest as filtered", async () => {
  const { sink, context, publisher } = await filteredSink();
  sink.failAt([1], busy);
  expect(await publisher.send(some("drop 1", "a", "drop 2", "b"), NEVER)).toEqual([
    FILTERED,
    ACCEPTED,
    FILTERED,
    failed(busy),
  ]);
  expect(texts(sink.sends[0]!)).toEqual(["a", "b"]);
  // On this side the route settles what the outcomes say.
  expect(context.accounting.get("filtered")).toBe(0);
});

it("passes a batch of which everything is kept as it is", async () => {
  const { sink, publisher } = await filteredSink();
  const batch = lineBatch(5);
  expect(await publisher.send(batch, NEVER)).toBeUndefined();
  expect(sink.sends[0]).toBe(batch);
});

it("does not bother the sink with a batch of which nothing is left", async () => {
  const { sink, publisher } = await filteredSink();
  expect(await publisher.send(some("drop 1", "drop 2"), NEVER)).toEqual([FILTERED, FILTERED]);
  expect(sink.sends).toEqual([]);
});
