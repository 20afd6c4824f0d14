import type { MaybePromise, Plugin, StateStore } from "@mqb/core/plugin";
import type { FakeClock } from "../fakes/clock.ts";
import type { Scenario } from "../suite.ts";

/** What `testStateStore` needs to know of a state store. */
export interface StateStoreUnderTest {
  /** The plugin that brings the store. */
  readonly plugin: Plugin;
  /** The URL scheme it is registered for, without the colon. */
  readonly scheme: string;
  /** A place where no state is yet; called for every test. */
  readonly fresh: () => MaybePromise<StorePlace>;
  /** Only one handle can be open on the same URL; a second `open` is refused with an mqb error [false]. */
  readonly exclusive?: boolean;
  /** Entries of the test with many keys [10000]. */
  readonly manyKeys?: number;
  /** Longest duration of one test in milliseconds [60000]. */
  readonly timeoutMs?: number;
}

export interface StorePlace {
  readonly url: string;
  cleanup?(): MaybePromise<void>;
}

export interface StoreSubject {
  readonly durable: boolean;
  readonly exclusive: boolean;
}

/** The set-up of one test: a fresh place, and handles that are closed after it. */
export interface StoreLab extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly manyKeys: number;
  /** Opens the place; every call gives a handle of its own. */
  open(): Promise<StateStore>;
}

export type StoreScenario = Scenario<StoreSubject, StoreLab>;
