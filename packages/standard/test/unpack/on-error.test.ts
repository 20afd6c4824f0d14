import { batchOf, codeOf, describeError, kindOf, Message } from "@mqb/core/plugin";
import { messages, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { packedMessage } from "../pack/setup.ts";
import { unpacked, unpackedSource } from "./setup.ts";

const good = (count = 2) => packedMessage(messages(count));

it("ends the route for good at what is no packed message, and says which one and why", async () => {
  const { source, consumer } = unpackedSource();
  const bad = new Message("plain text");
  source.push([bad]);
  const error = await consumer.receive(10, NEVER).catch((thrown: unknown) => thrown);
  expect(codeOf(error)).toBe("MQB_STANDARD_UNPACK_FAILED");
  expect(kindOf(error, "connection")).toBe("permanent");
  expect(describeError(error)).toContain(bad.id);
  expect(describeError(error)).toContain("does not begin with MQB1");
  expect(describeError(error)).not.toContain("plain");
  expect(source.commits).toHaveLength(0);
});

it("drops it with on_error: drop, acks it, and goes on with the others", async () => {
  const { source, context, consumer } = unpackedSource({ on_error: "drop" });
  context.accounting.receive(4);
  source.push([await good(1)]).push([new Message("bad"), await good(), new Message("")]);
  await (await consumer.receive(10, NEVER)).commit();
  const { batch, commit } = await consumer.receive(10, NEVER);
  expect(texts(batch)).toEqual(["message 0", "message 1"]);
  await commit();
  expect(source.commits[1]!.dispositions).toBeUndefined();
  expect(context.accounting.snapshot()).toMatchObject({ received: 5, filtered: 2, inFlight: 3 });
  expect(context.log.at("warn")).toEqual([
    expect.stringMatching(/^2 message\(s\) were dropped; the first one: .*MQB1/),
  ]);
});

it("marks a batch of which everything was dropped, so that it is committed and is not the end", async () => {
  const { source, consumer } = unpackedSource({ on_error: "drop" });
  source.push(batchOf([new Message("bad")]));
  const emptied = await consumer.receive(10, NEVER);
  expect(emptied).toMatchObject({ emptied: true, batch: { length: 0 } });
  await emptied.commit();
  expect(source.commits).toHaveLength(1);
});

it("refuses more messages than max_messages, and takes as many", async () => {
  expect(await unpacked((await good(3)).payload, { max_messages: 3 })).toHaveLength(3);
  const error = await unpacked((await good(4)).payload, { max_messages: 3 }).catch((thrown: unknown) => thrown);
  expect(describeError(error)).toContain("it holds 4 messages; `unpack.max_messages` allows 3");
});

it("refuses a newer version, and flags that it does not know", async () => {
  for (const at of [4, 6]) {
    const bytes = Buffer.from((await good()).payload);
    bytes[at] = bytes[at]! | 4;
    const error = await unpacked(bytes).catch((thrown: unknown) => thrown);
    expect(describeError(error)).toContain("packed by a newer version");
  }
});
