import { batchOf, Message, NACK } from "@mqb/core/plugin";
import { fakeContext, ScriptedConsumer, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { markReceived } from "../src/postmark.ts";

const config = { mark: "berlin", key: "postmark", once: true };
const marked = (text: string) => new Message(text, new Map([["postmark", "berlin"]]));
const signal = new AbortController().signal;
const open = (source: ScriptedConsumer) => markReceived(source, config, fakeContext());

describe("postmark on an input", () => {
  it("marks every message and keeps the other metadata", async () => {
    const source = new ScriptedConsumer().push([new Message("a", new Map([["kept", "1"]])), new Message("b")]);
    const { batch } = await open(source).receive(10, signal);
    expect(Array.from(batch, ({ metadata }) => [...metadata])).toEqual([
      [
        ["kept", "1"],
        ["postmark", "berlin"],
      ],
      [["postmark", "berlin"]],
    ]);
  });

  it("drops what carries the mark, acks it, and returns the others' dispositions by position", async () => {
    const source = new ScriptedConsumer().push([marked("a"), new Message("b"), marked("c"), new Message("d")]);
    const delivery = await open(source).receive(10, signal);
    expect(texts(delivery.batch)).toEqual(["b", "d"]);
    await delivery.commit([NACK, { type: "ack" }]);
    expect(source.commits[0]?.dispositions?.map(({ type }) => type)).toEqual(["ack", "nack", "ack", "ack"]);
  });

  it("does not take a batch that it has emptied for the end of the source", async () => {
    const source = new ScriptedConsumer().push([marked("a")]);
    const delivery = await open(source).receive(10, signal);
    expect(delivery).toMatchObject({ emptied: true, batch: { length: 0 } });
  });

  it("keeps a message with another mark", async () => {
    const source = new ScriptedConsumer().push(batchOf([new Message("a", new Map([["postmark", "paris"]]))]));
    const { batch } = await open(source).receive(10, signal);
    expect(batch.at(0).metadata.get("postmark")).toBe("berlin");
  });
});
