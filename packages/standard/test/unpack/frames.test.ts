import { batchOf, type Message } from "@mqb/core/plugin";
import { slabOf } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { RECORDED } from "../pack/recorded.ts";
import { packedMessage } from "../pack/setup.ts";
import { unpacked, unpackedSource } from "./setup.ts";

const parts = (messages: readonly Message[]) =>
  messages.map(({ id, payload, metadata }) => ({ id, payload: [...payload], metadata: [...metadata] }));

describe.each(RECORDED)("recorded: $name", ({ config, messages, packed }) => {
  it.each([
    ["messages", batchOf],
    ["a slab", slabOf],
  ])("is read back from %s", async (_, make) => {
    const { source, consumer } = unpackedSource({ format: config.format ?? "mqb" });
    source.push(make(packed));
    const got: Message[] = [];
    while (got.length < messages.length) got.push(...(await consumer.receive(1000, NEVER)).batch);
    if (config.format === "benthos_binary") {
      expect(got.map(({ payload }) => [...payload])).toEqual(messages.map(({ payload }) => [...payload]));
      expect(got.map(({ metadata }) => metadata.size)).toEqual(messages.map(() => 0));
    } else expect(parts(got)).toEqual(parts(messages));
  });
});

it("writes ids as the same text as it reads them", async () => {
  const { messages, packed } = RECORDED[0]!;
  const { source, consumer } = unpackedSource();
  source.push(packed);
  const { batch } = await consumer.receive(10, NEVER);
  const into = Buffer.alloc(36);
  for (const [i, { id }] of messages.entries()) {
    batch.writeId!(i, into, 0);
    expect(into.toString("latin1")).toBe(id);
  }
});

it("gives fresh ids to messages that were packed without", async () => {
  const { messages } = RECORDED[0]!;
  const frame = await packedMessage(messages, { drop_message_id: true });
  const got = await unpacked(frame.payload);
  expect(got.map(({ metadata }) => [...metadata])).toEqual(messages.map(({ metadata }) => [...metadata]));
  for (const { id } of got) expect(id).toMatch(/^.{14}7/);
  expect(new Set(got.map(({ id }) => id)).size).toBe(messages.length);
});

it("slices payloads out of the packed message, without a copy", async () => {
  const { messages } = RECORDED[0]!;
  const { payload } = await packedMessage(messages);
  for (const one of await unpacked(payload)) expect(one.payload.buffer).toBe(payload.buffer);
});

it("reads what was packed twice by unpacking twice", async () => {
  const { messages } = RECORDED[0]!;
  const outer = await packedMessage([await packedMessage(messages)]);
  const [inner] = await unpacked(outer.payload);
  expect(parts(await unpacked(inner!.payload))).toEqual(parts(messages));
});
