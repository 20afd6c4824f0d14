import { batchOf, Message } from "@mqb/core/plugin";
import { CollectingPublisher, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { markSent } from "../src/postmark.ts";

const marked = (text: string) => new Message(text, new Map([["postmark", "berlin"]]));
const signal = new AbortController().signal;
const once = { mark: "berlin", key: "postmark", once: true };

describe("postmark on an output", () => {
  it("marks what it sends and reports nothing when everything was accepted", async () => {
    const sink = new CollectingPublisher();
    const outcomes = await markSent(sink, { ...once, once: false }).send(
      batchOf([marked("a"), new Message("b")]),
      signal,
    );
    expect(outcomes).toBeUndefined();
    expect(sink.messages.map(({ metadata }) => metadata.get("postmark"))).toEqual(["berlin", "berlin"]);
  });

  it("reports what it dropped as filtered and the sink's outcomes by position", async () => {
    const sink = new CollectingPublisher();
    sink.failAt([1], new Error("no"));
    const batch = batchOf([marked("a"), new Message("b"), new Message("c"), marked("d")]);
    const outcomes = await markSent(sink, once).send(batch, signal);
    expect(outcomes?.map(({ type }) => type)).toEqual(["filtered", "accepted", "failed", "filtered"]);
    expect(texts(sink.messages)).toEqual(["b"]);
  });

  it("does not trouble the sink when it has dropped everything", async () => {
    const sink = new CollectingPublisher();
    const outcomes = await markSent(sink, once).send(batchOf([marked("a")]), signal);
    expect(outcomes?.map(({ type }) => type)).toEqual(["filtered"]);
    expect(sink.sends).toHaveLength(0);
  });
});
