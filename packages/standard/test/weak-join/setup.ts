import { type Delivery, type InputCapabilities, Message, type MessageBatch } from "@mqb/core/plugin";
import { fakeContext, ScriptedConsumer, within } from "@mqb/testkit";
import standard from "../../src/index.ts";
import { weakJoinSchema } from "../../src/weak-join/config.ts";
import { NEVER } from "../opened.ts";

interface Options {
  readonly draining?: boolean;
  readonly below?: Partial<InputCapabilities>;
  readonly session?: Map<string, unknown>;
}

/** A weak_join by `g` of two messages, around a scripted source whose messages are counted as received. */
export async function setUp(config: object = {}, options: Options = {}) {
  const context = fakeContext(options);
  const source = new ScriptedConsumer();
  const settings = weakJoinSchema.parse({ group_by: "g", expected_count: 2, timeout_ms: 300, ...config });
  const counting = {
    async receive(max: number, signal: AbortSignal) {
      const delivery = await source.receive(max, signal);
      context.accounting.receive(delivery.batch.length);
      return delivery;
    },
    close: () => source.close(),
  };
  const consumer = await standard.middlewares!["weak_join"]!.input!(counting, settings, context);
  const receive = (max = 100): Promise<Delivery> => within(consumer.receive(max, NEVER), "something comes");
  return { context, clock: context.clock, source, consumer, receive };
}

export function message(group: string | undefined, payload: string, more: Record<string, string> = {}): Message {
  return new Message(payload, new Map(Object.entries({ ...(group === undefined ? {} : { g: group }), ...more })));
}

export const payloads = (batch: MessageBatch): string[] => Array.from(batch, (one) => one.text());
