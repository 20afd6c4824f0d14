import { tmpdir } from "node:os";
import type { StoreDefinition } from "@mqb/core/plugin";
import { FakeClock } from "../fakes/clock.ts";
import { recordingLogger } from "../fakes/logger.ts";
import { FakeScope } from "../fakes/scope.ts";
import type { Runner } from "../runner.ts";
import { registerSuite } from "../suite.ts";
import { absentKeys } from "./scenarios/absent-keys.ts";
import { closing } from "./scenarios/closing.ts";
import { concurrentWriters } from "./scenarios/concurrent-writers.ts";
import { emptyLists } from "./scenarios/empty-lists.ts";
import { expectedVersions } from "./scenarios/expected-versions.ts";
import { expiry } from "./scenarios/expiry.ts";
import { manyKeys } from "./scenarios/many-keys.ts";
import { oddKeys } from "./scenarios/odd-keys.ts";
import { oneAtATime } from "./scenarios/one-at-a-time.ts";
import { orderWithinCall } from "./scenarios/order-within-call.ts";
import { putGetDelete } from "./scenarios/put-get-delete.ts";
import { reopening } from "./scenarios/reopening.ts";
import { values } from "./scenarios/values.ts";
import type { StateStoreUnderTest, StoreLab, StorePlace, StoreScenario } from "./types.ts";

export const storeScenarios: readonly StoreScenario[] = [
  absentKeys,
  emptyLists,
  putGetDelete,
  orderWithinCall,
  ...expectedVersions,
  ...expiry,
  ...values,
  oddKeys,
  manyKeys,
  ...concurrentWriters,
  ...reopening,
  ...oneAtATime,
  ...closing,
];

/** Registers the conformance suite of state stores. What is asked for follows from the store's own definition. */
export function testStateStore(runner: Runner, store: StateStoreUnderTest): void {
  const definition = store.plugin.stores?.[store.scheme];
  if (!definition) throw new TypeError(`${store.plugin.name} has no state store for "${store.scheme}:"`);
  const subject = { durable: definition.durable, exclusive: store.exclusive ?? false };
  registerSuite(runner, {
    title: `state store ${store.scheme}:`,
    subject,
    scenarios: storeScenarios,
    timeoutMs: store.timeoutMs ?? 60_000,
    lab: () => openLab(definition, store),
    found: async () => subject,
  });
}

async function openLab(definition: StoreDefinition, store: StateStoreUnderTest): Promise<StoreLab> {
  const place: StorePlace = await store.fresh();
  // Starts at the real time: a server that expires by its own clock must not take every entry for an old one.
  const clock = new FakeClock(Date.now());
  const opened: { close(): Promise<void> }[] = [];
  const scope = new FakeScope();
  return {
    clock,
    manyKeys: store.manyKeys ?? 10_000,
    async open() {
      const handle = await definition.open(place.url, {
        log: recordingLogger(),
        clock,
        baseDir: tmpdir(),
        local: (key, make) => scope.local(key, make),
      });
      opened.push(handle);
      return handle;
    },
    async [Symbol.asyncDispose]() {
      for (const handle of opened) await handle.close();
      await place.cleanup?.();
    },
  };
}
