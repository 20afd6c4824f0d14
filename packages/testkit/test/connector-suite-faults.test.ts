import { Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { testConnector } from "../src/index.ts";
import { ackFaults } from "./faults/ack-faults.ts";
import type { Broken, Faults } from "./faults/broken.ts";
import { closeFaults } from "./faults/close-faults.ts";
import { drainFaults, orderFaults } from "./faults/order-faults.ts";
import { batchFaults, payloadFaults } from "./faults/payload-faults.ts";
import { publishFaults, replyFaults } from "./faults/publish-faults.ts";
import { pressureFaults, stateFaults, suiteFaults } from "./faults/state-faults.ts";
import { wholeFaults } from "./faults/whole-faults.ts";
import { CapturedRunner } from "./support/captured-runner.ts";
import { logPlugin } from "./support/log-connector.ts";
import { queuePlugin } from "./support/queue-connector.ts";

const leaks: NodeJS.Timeout[] = [];

const FAULTS: Faults = {
  ...payloadFaults,
  ...batchFaults,
  ...ackFaults,
  ...orderFaults,
  ...drainFaults,
  ...publishFaults,
  ...replyFaults,
  ...closeFaults,
  ...stateFaults(leaks),
  ...pressureFaults,
  ...suiteFaults,
  ...wholeFaults,
};

describe("the suite of connectors finds", () => {
  for (const [name, broken] of Object.entries(FAULTS)) {
    it(`one that ${name}`, { timeout: 20_000 }, async () => {
      const runner = new CapturedRunner();
      register(runner, broken);
      const names = runner.named(broken.scenario);
      expect(names).toHaveLength(1);
      const failure = await runner.failure(names[0]!);
      for (const timer of leaks.splice(0)) clearInterval(timer);
      expect(failure).toBeInstanceOf(Error);
    });
  }
});

function register(runner: CapturedRunner, broken: Broken): void {
  let n = 0;
  const endpoint = broken.in ?? "queue";
  const plugin = endpoint === "queue" ? queuePlugin(broken.fault) : logPlugin(broken.fault);
  const suiteOnly = broken.scenario.startsWith("left out");
  const config = { topic: "any", ...(suiteOnly ? {} : broken.config) };
  testConnector(runner, {
    plugin,
    endpoint,
    config: { input: config, output: config },
    fixture: {
      patienceMs: 250,
      refused: () => new Message("refuse me"),
      keyed: (message, key) => message.with({ metadata: [["key", key]] }),
      counts: true,
      async fresh() {
        const place = { topic: `topic-${n++}`, password: "geheim-7", ...broken.config };
        return { input: place, output: place };
      },
      narrow: {
        capacity: 3,
        async fresh() {
          const place = { topic: `narrow-${n++}`, capacity: 3 };
          return { input: place, output: place };
        },
      },
      ...broken.fixture,
    },
  });
}
