import { ACCEPTED, batchOf, FILTERED, Message } from "@mqb/core/plugin";
import { texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { filteredSink } from "./setup.ts";

const some = (...payloads: string[]) => batchOf(payloads.map((text) => new Message(text)));

it("sends of each prepared batch what matches, in whatever order they were prepared", async () => {
  const { sink, publisher } = await filteredSink();
  const [first, second] = [some("drop", "a"), some("b", "drop", "c")];
  publisher.willSend!(second);
  publisher.willSend!(first);
  expect(sink.sends).toEqual([]);
  expect(await publisher.send(first, NEVER)).toEqual([FILTERED, ACCEPTED]);
  expect(await publisher.send(second, NEVER)).toEqual([ACCEPTED, FILTERED, ACCEPTED]);
  expect(sink.sends.map(texts)).toEqual([["a"], ["b", "c"]]);
});

it("says only at the send that a prepared batch cannot be evaluated, and nothing of it is sent", async () => {
  const { sink, publisher } = await filteredSink();
  const batch = some("a", "broken");
  publisher.willSend!(batch);
  await expect(publisher.send(batch, NEVER)).rejects.toMatchObject({ code: "MQB_STANDARD_FILTER_FAILED" });
  expect(sink.sends).toEqual([]);
});

it("evaluates a prepared batch once: what it warns of is said once", async () => {
  const { context, publisher } = await filteredSink({ expression: "drop", on_error: "drop" });
  const batch = some("a", "broken");
  publisher.willSend!(batch);
  await publisher.send(batch, NEVER);
  expect(context.log.at("warn")).toHaveLength(1);
});
