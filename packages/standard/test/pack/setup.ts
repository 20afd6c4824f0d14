import { batchOf, type Message, type MessageBatch, type Outcome } from "@mqb/core/plugin";
import { CollectingPublisher } from "@mqb/testkit";
import { type PackConfig, packSchema } from "../../src/pack/config.ts";
import { packPublisher } from "../../src/pack/publisher.ts";
import { NEVER } from "../opened.ts";

/** A `pack` around a collecting sink. */
export function packedSink(config: PackConfig = {}) {
  const sink = new CollectingPublisher();
  return { sink, publisher: packPublisher(sink, packSchema.parse(config)) };
}

/** What `pack` makes of the messages. */
export async function packed(batch: MessageBatch, config: PackConfig = {}): Promise<readonly Message[]> {
  const { sink, publisher } = packedSink(config);
  await publisher.send(batch, NEVER);
  return sink.messages;
}

/** One packed message with these in it. */
export async function packedMessage(messages: readonly Message[], config: PackConfig = {}): Promise<Message> {
  const [message, ...more] = await packed(batchOf(messages), { max_messages: 1e6, ...config });
  if (!message || more.length > 0) throw new Error("not one packed message");
  return message;
}

export function types(outcomes: readonly Outcome[] | undefined): string[] | undefined {
  return outcomes?.map((outcome) => outcome.type);
}
