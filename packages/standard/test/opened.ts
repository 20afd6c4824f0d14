import { setMaxListeners } from "node:events";
import type { Consumer, Publisher } from "@mqb/core/plugin";
import {
  type FakeClock,
  type FakeContext,
  type FakeContextOverrides,
  FakeScope,
  fakeContext,
  type RecordingLogger,
} from "@mqb/testkit";
import standard from "../src/index.ts";

/** The signal of a test that aborts nothing. Many consumers of many tests listen to it. */
export const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);

/** Opens endpoints of one bridge: those opened through the same one meet in the same topics. */
export class TestBridge {
  private readonly scope = new FakeScope();

  context(overrides: FakeContextOverrides<FakeClock, RecordingLogger> = {}): FakeContext {
    return fakeContext({ plugins: [standard], scope: this.scope, ...overrides });
  }

  consumer(endpoint: unknown, context = this.context()): Promise<Consumer> {
    return context.openConsumer(endpoint, "endpoint");
  }

  publisher(endpoint: unknown, context = this.context()): Promise<Publisher> {
    return context.openPublisher(endpoint, "endpoint");
  }
}
