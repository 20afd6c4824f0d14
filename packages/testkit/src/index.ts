/** Conformance suites for connectors, middlewares and state stores, and the fakes that they are made of. */

export { type TestCertificates, testCertificates } from "./certificates/certificates.ts";
export { testConnector } from "./connector/index.ts";
export type {
  BadConfig,
  ConnectorFixture,
  ConnectorUnderTest,
  Holds,
  Place,
  SideConfigs,
} from "./connector/types.ts";
export { FakeClock } from "./fakes/clock.ts";
export { CollectingPublisher, type FailureRule } from "./fakes/collecting-publisher.ts";
export { type FakeContext, type FakeContextOverrides, fakeContext } from "./fakes/context.ts";
export { dropping } from "./fakes/dropping.ts";
export { type LogEntry, type LogLevel, type RecordingLogger, recordingLogger } from "./fakes/logger.ts";
export { lineBatch, type MessagesOptions, messageBatch, messages, slabOf, texts } from "./fakes/messages.ts";
export { ANY_CONFIG, type FakeEndpoint, fakePlugin } from "./fakes/plugin.ts";
export { FakeScope } from "./fakes/scope.ts";
export { ScriptedConsumer, type ScriptedDelivery } from "./fakes/scripted-consumer.ts";
export { FakeStateStore } from "./fakes/state-store.ts";
export { testMiddleware } from "./middleware/index.ts";
export type { MiddlewareUnderTest } from "./middleware/types.ts";
export { type BrokenOffOptions, runBrokenOff } from "./process/run-broken-off.ts";
export { type ProcessEnd, type ProcessOptions, RunningProcess, runProcess } from "./process/run-process.ts";
export { TempDir } from "./process/temp-dir.ts";
export { type Address, FaultProxy, type FaultProxyOptions } from "./proxy/fault-proxy.ts";
export { integer, pick, type Random, randomFrom } from "./random.ts";
export type { Runner } from "./runner.ts";
export { testStateStore } from "./store/index.ts";
export type { StateStoreUnderTest, StorePlace } from "./store/types.ts";
export { eventually, isPending, turns } from "./wait/eventually.ts";
export { within } from "./wait/within.ts";
