import { deepEqual } from "node:assert/strict";
import type { Message } from "@mqb/core/plugin";
import type { ConnectorLab } from "../lab.ts";
import { acknowledges, input, keyed, output, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

const KEYS = 7;
const COUNT = 280;

/** Order where there is one per key only: in the partitions of a log, in the groups of a queue. */
export const keyOrder: readonly ConnectorScenario[] = [
  {
    name: "messages of one key arrive in their order",
    leftOut: unless(output, input, keyed, stored),
    async run(lab) {
      const publisher = await lab.publisher();
      for (let from = 0; from < COUNT; from += 20) await lab.send(publisher, keyedMessages(lab, 20, from));
      await lab.soon(Promise.resolve(publisher.flush?.()), "a flush");
      await lab.soon(publisher.close(), "closing the sink");
      const { numbers } = await lab.reader().take(COUNT, 33);
      inOrder(numbers);
    },
  },
  {
    name: "messages of one key come again in their order after a reconnect",
    leftOut: unless(input, keyed, acknowledges, stored),
    async run(lab) {
      await lab.seed(keyedMessages(lab, COUNT, 0));
      const reader = lab.reader({ reopens: true });
      await reader.take(60, 20);
      await reader.close();
      const { numbers } = await lab.reader({ reopens: true }).take(COUNT, 33);
      inOrder(numbers);
    },
  },
];

function keyedMessages(lab: ConnectorLab, count: number, from: number): Message[] {
  const { keyed: giveKey } = lab.tested.fixture;
  return lab.messages(count, from).map((message, i) => giveKey!(message, `key-${(from + i) % KEYS}`));
}

/** The first arrivals of each key; a message that comes a second time is older than what has come since. */
function inOrder(numbers: readonly number[]): void {
  const first = [...new Set(numbers)];
  for (let key = 0; key < KEYS; key++) {
    const ofKey = first.filter((n) => n % KEYS === key);
    deepEqual(
      ofKey,
      ofKey.toSorted((a, b) => a - b),
      `the messages of key ${key}`,
    );
  }
}
