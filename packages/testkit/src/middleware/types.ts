import type { Consumer, Message, MiddlewareDefinition, Plugin, Publisher, Side } from "@mqb/core/plugin";
import type { FakeClock } from "../fakes/clock.ts";
import type { CollectingPublisher } from "../fakes/collecting-publisher.ts";
import type { FakeContext, FakeContextOverrides } from "../fakes/context.ts";
import type { RecordingLogger } from "../fakes/logger.ts";
import type { ScriptedConsumer } from "../fakes/scripted-consumer.ts";
import type { Scenario } from "../suite.ts";

/** What `testMiddleware` needs to know of a middleware. */
export interface MiddlewareUnderTest {
  readonly plugin: Plugin;
  /** Its key in the plugin. */
  readonly middleware: string;
  /**
   * A configuration as a user writes it, under which the messages of `message` pass unchanged [`{}`]. Where the sides
   * need different ones, the function form.
   */
  readonly config?: unknown | ((side: Side) => unknown);
  /** Message number `n`, one that passes [`messages`: payload `message n`]. Ids and payloads differ from each other. */
  readonly message?: (n: number, side: Side) => Message;
  /** A message that this configuration takes out of the batch; unlocks the scenarios for middlewares that remove. */
  readonly removed?: (n: number, side: Side) => Message;
  /** The middleware changes every message (compression, transform): contents are not compared [false]. */
  readonly changes?: boolean;
  /** Its configuration makes it look at messages one by one, so it may make message objects [false]. */
  readonly looksInside?: boolean;
  /** It gathers messages of several batches into one, or cuts batches up: batches are not compared one by one [false]. */
  readonly regroups?: boolean;
  /** What the middleware finds in its context: plugins for nested endpoints and stores, references. */
  readonly context?: () => FakeContextOverrides<FakeClock, RecordingLogger>;
  /** How long a call may take in real time when it waits for no timer, in milliseconds [5000]. */
  readonly patienceMs?: number;
  /** Longest duration of one test in milliseconds [20000]. */
  readonly timeoutMs?: number;
}

export interface MiddlewareSubject {
  readonly definition: MiddlewareDefinition;
  readonly tested: MiddlewareUnderTest;
}

/** The set-up of one test of one side. Everything that is opened is closed after the test. */
export interface MiddlewareLab extends AsyncDisposable {
  readonly subject: MiddlewareSubject;
  readonly context: FakeContext;
  message(n: number): Message;
  messages(count: number, from?: number): Message[];
  /** Waits for what the middleware does, letting its fake time run. */
  settled<T>(promise: PromiseLike<T>): Promise<T>;
}

export interface InputLab extends MiddlewareLab {
  /** The source under the middleware; what it gives is counted as received. */
  readonly source: ScriptedConsumer;
  readonly consumer: Consumer;
}

export interface OutputLab extends MiddlewareLab {
  /** The sink under the middleware. */
  readonly sink: CollectingPublisher;
  readonly publisher: Publisher;
}

export type InputScenario = Scenario<MiddlewareSubject, InputLab>;
export type OutputScenario = Scenario<MiddlewareSubject, OutputLab>;
