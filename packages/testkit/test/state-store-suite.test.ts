import { API_VERSION, type Clock, definePlugin, type Plugin, type StateStore } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { FakeStateStore, type StateStoreUnderTest, testStateStore } from "../src/index.ts";
import { storeFaults } from "./faults/store-faults.ts";
import { CapturedRunner } from "./support/captured-runner.ts";

// Stands for a disk: entries by URL, which outlive the handles.
const DISKS = () => new Map<string, FakeStateStore>();

function storePlugin(
  durable: boolean,
  break_: (store: StateStore, clock: Clock) => StateStore = (store) => store,
): Plugin {
  const disks = DISKS();
  return definePlugin({
    name: "reference",
    apiVersion: API_VERSION,
    stores: {
      ref: {
        description: "A store of a test.",
        durable,
        open(url, { clock }) {
          if (!durable) return break_(new FakeStateStore(clock).view(), clock);
          if (!disks.has(url)) disks.set(url, new FakeStateStore(clock));
          return break_(disks.get(url)!.view(), clock);
        },
      },
    },
  });
}

function underTest(plugin: Plugin): StateStoreUnderTest {
  let n = 0;
  return { plugin, scheme: "ref", fresh: () => ({ url: `ref:${n++}` }), manyKeys: 1000 };
}

testStateStore({ describe, it }, underTest(storePlugin(true)));
testStateStore({ describe, it }, underTest(storePlugin(false)));

describe("the suite of state stores finds", () => {
  for (const [name, { scenario, fault, exclusive }] of Object.entries(storeFaults)) {
    it(`a store that ${name}`, async () => {
      const runner = new CapturedRunner();
      testStateStore(runner, { ...underTest(storePlugin(true, fault)), exclusive: exclusive ?? false });
      const names = runner.named(scenario);
      expect(names).toHaveLength(1);
      expect(await runner.failure(names[0]!)).toBeInstanceOf(Error);
    });
  }
});
