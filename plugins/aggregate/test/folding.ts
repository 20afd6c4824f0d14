import { batchOf, Message, type MessageBatch, type MiddlewareDefinition, type Publisher } from "@mqb/core/plugin";
import expression from "@mqb/expression";
import {
  CollectingPublisher,
  type FakeClock,
  type FakeContext,
  type FakeContextOverrides,
  FakeStateStore,
  fakeContext,
  type RecordingLogger,
} from "@mqb/testkit";
import type { AggregateConfig } from "../src/index.ts";
import plugin from "../src/index.ts";

export const never = new AbortController().signal;
export const definition = plugin.middlewares!["aggregate"] as MiddlewareDefinition<AggregateConfig>;

/** An aggregate in memory, by the field `k` into the field `a`. */
export const byK: AggregateConfig = { consistency: "single_writer", key: "${payload:k}", into: "a" };

export function contextWith(overrides: FakeContextOverrides<FakeClock, RecordingLogger> = {}): FakeContext {
  return fakeContext({ plugins: [expression], ...overrides });
}

/** An aggregate on an output, and the sink that it writes to. */
export async function opened(
  config: AggregateConfig,
  context: FakeContext = contextWith(),
): Promise<{ publisher: Publisher; sink: CollectingPublisher; context: FakeContext }> {
  const sink = new CollectingPublisher();
  return { publisher: await definition.output!(sink, config, context), sink, context };
}

export function batchFrom(payloads: readonly string[], metadata?: Readonly<Record<string, string>>): MessageBatch {
  return batchOf(payloads.map((payload) => new Message(payload, metadata && new Map(Object.entries(metadata)))));
}

/** The payloads that come out, one for each that goes in; the text of its failure for one that cannot be folded. */
export async function folded(
  config: AggregateConfig,
  payloads: readonly string[],
  context: FakeContext = contextWith(),
): Promise<string[]> {
  const { publisher, sink } = await opened(config, context);
  const outcomes = await publisher.send(batchFrom(payloads), never);
  await publisher.close();
  const sent = sink.messages.map((message) => message.text());
  return payloads.map((_, index) => {
    const outcome = outcomes?.[index];
    return outcome?.type === "failed" ? String((outcome.error as Error).message) : sent.shift()!;
  });
}

/** What `into: a` holds of each payload that comes out. */
export async function results(
  config: AggregateConfig,
  payloads: readonly string[],
  context?: FakeContext,
): Promise<string[]> {
  const all = await folded(config, payloads, context);
  return all.map((text) => /"a":(.*)\}$/s.exec(text)?.[1] ?? text);
}

/** The store behind `memory:` in a context, to make it fail and to count its calls. */
export function storeOf(context: FakeContext): FakeStateStore {
  return context.scope.local("testkit store memory:", () => new FakeStateStore(context.clock));
}
