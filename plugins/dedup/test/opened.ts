import { setMaxListeners } from "node:events";
import type { Consumer } from "@mqb/core/plugin";
import type { FakeClock, RecordingLogger } from "@mqb/testkit";
import { type FakeContext, type FakeContextOverrides, FakeScope, fakeContext, ScriptedConsumer } from "@mqb/testkit";
import type { DeduplicationConfig } from "../src/config.ts";
import { deduplicationSchema } from "../src/config.ts";
import plugin from "../src/index.ts";

/** The signal of a test that aborts nothing. Many consumers of many tests listen to it. */
export const NEVER: AbortSignal = new AbortController().signal;
setMaxListeners(0, NEVER);

export const MEMORY: DeduplicationConfig = { store: "memory://", ttl_seconds: 60, key: "${message:payload}" };

/** A source with the middleware around it. Those with one scope share what the routes of one bridge share. */
export interface Opened {
  readonly source: ScriptedConsumer;
  readonly consumer: Consumer;
  readonly context: FakeContext;
}

export async function open(
  config: Partial<DeduplicationConfig> = {},
  overrides: FakeContextOverrides<FakeClock, RecordingLogger> = {},
): Promise<Opened> {
  const context = fakeContext({ scope: new FakeScope(), ...overrides });
  const source = new ScriptedConsumer();
  const settings = deduplicationSchema.parse({ ...MEMORY, ...config });
  const consumer = await plugin.middlewares!["deduplication"]!.input!(source, settings, context);
  return { source, consumer, context };
}

/** What the source was told of the messages of its delivery number `at`. */
export async function toldOf(source: ScriptedConsumer, at: number): Promise<string[]> {
  return (await source.deliveries[at]!.committed).map(({ type }) => type);
}
