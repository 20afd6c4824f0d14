import { batchOf, describeError, Message, type MessageBatch, type Publisher } from "@mqb/core/plugin";
import expression from "@mqb/expression";
import { CollectingPublisher, fakeContext, slabOf } from "@mqb/testkit";
import type { TransformConfig } from "../src/index.ts";
import plugin from "../src/index.ts";

export const never = new AbortController().signal;

export async function publisherFor(config: TransformConfig, sink: Publisher): Promise<Publisher> {
  return plugin.middlewares!["transform"]!.output!(sink, config, fakeContext({ plugins: [expression] }));
}

/** What becomes of each payload: the new one, or the text of its failure without its beginning. */
export async function transformed(config: TransformConfig, payloads: readonly string[]): Promise<string[]> {
  const messages = payloads.map((payload) => new Message(payload));
  return settled(config, batchOf(messages));
}

/** The same for lines, which come in a slab. */
export async function transformedLines(config: TransformConfig, payloads: readonly string[]): Promise<string[]> {
  return settled(config, slabOf(payloads.map((payload) => new Message(payload))));
}

export async function settled(config: TransformConfig, batch: MessageBatch): Promise<string[]> {
  const sink = new CollectingPublisher();
  const publisher = await publisherFor(config, sink);
  const outcomes = await publisher.send(batch, never);
  const sent = sink.messages.map((message) => message.text());
  return Array.from({ length: batch.length }, (_, index) => {
    const outcome = outcomes?.[index];
    if (outcome?.type !== "failed") return sent.shift()!;
    return describeError(outcome.error).replace("transform failed at ", "");
  });
}
