import { batchOf, freshId, Message } from "@mqb/core/plugin";
import { lineBatch, slabOf } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { RECORDED } from "./recorded.ts";
import { packed } from "./setup.ts";

const hex = (messages: readonly Message[]) => messages.map(({ payload }) => Buffer.from(payload).toString("hex"));
const metadataOf = (messages: readonly Message[]) => messages.map(({ metadata }) => [...metadata]);

describe.each(RECORDED)("recorded: $name", ({ config, messages, packed: expected }) => {
  it.each([
    ["messages", batchOf],
    ["a slab", slabOf],
  ])("is written byte for byte from %s", async (_, make) => {
    const got = await packed(make(messages), config);
    expect(hex(got)).toEqual(hex(expected));
    expect(metadataOf(got)).toEqual(metadataOf(expected));
  });
});

describe("a packed message", () => {
  it("holds the same ids from bytes, from text and from fresh ones of a batch", async () => {
    const fresh = lineBatch(3);
    const texts = batchOf([0, 1, 2].map((i) => new Message(fresh.payload(i), undefined, fresh.id(i))));
    expect(hex(await packed(fresh))).toEqual(hex(await packed(texts)));
    expect(hex(await packed(fresh.select(Uint32Array.of(0, 1, 2))))).toEqual(hex(await packed(texts)));
  });

  it("has a fresh id of its own", async () => {
    const id = freshId();
    const [one] = await packed(batchOf([new Message("a", undefined, id)]));
    expect(one!.id).not.toBe(id);
    expect(one!.id).toMatch(/^.{14}7/);
  });

  it("leaves the ids out when told so, 16 bytes less for each message", async () => {
    const batch = lineBatch(10);
    const [withIds] = await packed(batch);
    const [without] = await packed(batch, { drop_message_id: true });
    expect(withIds!.payload.length - without!.payload.length).toBe(160);
  });

  it("takes no room for metadata where no message has any, also beside a packed message with some", async () => {
    const plain = new Message("a");
    const rich = new Message("a", new Map([["k", "v"]]));
    const config = { drop_message_id: true, max_messages: 1 };
    const lengths = (await packed(batchOf([plain, rich]), config)).map(({ payload }) => payload.length);
    expect(lengths[1]! - lengths[0]!).toBe("..k.v".length);
  });

  it("does not carry source positions, which are of the route that has read", async () => {
    const stamped = new Map([
      ["mqb.src.file_record", "7"],
      ["kind", "a"],
    ]);
    const [one] = await packed(batchOf([new Message("a", stamped)]));
    const text = Buffer.from(one!.payload).toString("latin1");
    expect(text).toContain("kind");
    expect(text).not.toContain("mqb.src");
    const [bare] = await packed(batchOf([new Message("a", new Map([["mqb.src.file_record", "7"]]))]));
    expect(bare!.payload[6]! & 1).toBe(0);
  });
});
