import { batchOf, type Consumer, Message, type OpenContext, type Publisher, systemClock } from "@mqb/core/plugin";
import { fakeContext } from "@mqb/testkit";
import plugin, { type KafkaOptions } from "../src/index.ts";
import { kafkaSchema } from "../src/schema.ts";

const { input, output } = plugin.endpoints!["kafka"]!;

/** A context as a route gives it, with a real clock. */
export function contextFor(side: "input" | "output", more: Partial<OpenContext> = {}): OpenContext {
  return fakeContext({ clock: systemClock, side, path: side, ...more } as never) as OpenContext;
}

export async function openInput(options: KafkaOptions, more: Partial<OpenContext> = {}): Promise<Consumer> {
  return input!.open(kafkaSchema.parse(options), contextFor("input", more));
}

export async function openOutput(options: KafkaOptions, more: Partial<OpenContext> = {}): Promise<Publisher> {
  return output!.open(kafkaSchema.parse(options), contextFor("output", more));
}

/** Sends messages and closes the output. Throws what the first failed one says. */
export async function sendAll(options: KafkaOptions, messages: readonly (string | Message)[]): Promise<void> {
  const publisher = await openOutput(options);
  try {
    const batch = batchOf(messages.map((one) => (typeof one === "string" ? new Message(one) : one)));
    const outcomes = await publisher.send(batch, new AbortController().signal);
    const failure = outcomes?.find(({ type }) => type === "failed");
    if (failure?.type === "failed") throw failure.error;
  } finally {
    await publisher.close();
  }
}

/** Reads so many messages, commits them and closes the input. */
export async function takeAll(options: KafkaOptions, count: number): Promise<Message[]> {
  const consumer = await openInput(options);
  const taken: Message[] = [];
  try {
    while (taken.length < count) {
      const delivery = await consumer.receive(count - taken.length, AbortSignal.timeout(20_000));
      if (delivery.batch.length === 0) throw new Error(`${taken.length} of ${count} messages came`);
      taken.push(...delivery.batch);
      await delivery.commit();
    }
    return taken;
  } finally {
    await consumer.close();
  }
}
