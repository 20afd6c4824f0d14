import { deepEqual } from "node:assert/strict";
import { ACK } from "@mqb/core/plugin";
import { acknowledges, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

export const acks: readonly ConnectorScenario[] = [
  {
    name: "acked messages are not delivered again after the source is opened anew",
    leftOut: unless(acknowledges, stored),
    async run(lab) {
      await lab.seed(lab.messages(5));
      const reader = lab.reader();
      await reader.commit(await reader.take(5));
      await reader.close();
      deepEqual(await lab.rest(), []);
    },
  },
  {
    name: "an ack for each message is the same as a commit without dispositions",
    leftOut: unless(acknowledges, stored),
    async run(lab) {
      await lab.seed(lab.messages(5));
      const reader = lab.reader();
      await reader.commit(await reader.take(5), () => ACK);
      await reader.close();
      deepEqual(await lab.rest(), []);
    },
  },
  {
    name: "of a source that is read on, only what is not acked comes back",
    leftOut: unless(acknowledges, stored),
    async run(lab) {
      await lab.seed(lab.messages(6));
      const reader = lab.reader();
      const first = await reader.take(1, 1);
      await reader.commit(first);
      // A source gives what is there: one message, and then two more than were waited for.
      const second = await reader.take(2, 2);
      await reader.commit(second);
      const { numbers } = await reader.take(6 - first.numbers.length - second.numbers.length);
      await reader.close();
      deepEqual(sorted(await lab.rest()), sorted(numbers));
    },
  },
];

function sorted(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}
