import { deepEqual, ok } from "node:assert/strict";
import type { ConnectorLab } from "../lab.ts";
import { acknowledges, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

export const crashes: readonly ConnectorScenario[] = [
  {
    name: "what was received and not committed comes back after a reconnect",
    leftOut: unless(acknowledges, stored),
    run: (lab) => comesBack(lab, false),
  },
  {
    name: "what was received and not committed comes back in a new process",
    leftOut: unless(acknowledges, stored),
    run: (lab) => comesBack(lab, true),
  },
  {
    name: "a message that was received and not committed is not given to a second receive of the same consumer",
    leftOut: unless(acknowledges, stored),
    async run(lab) {
      await lab.seed(lab.messages(4));
      const reader = lab.reader();
      const first = await reader.take(1, 2);
      const second = await reader.take(1, 2);
      deepEqual(
        second.numbers.filter((n) => first.numbers.includes(n)),
        [],
      );
    },
  },
];

/** The crash falls between the send and the commit: everything was received, nothing settled. */
async function comesBack(lab: ConnectorLab, newSession: boolean): Promise<void> {
  await lab.seed(lab.messages(10));
  const reader = lab.reader();
  const taken = await reader.take(10, 4);
  await reader.close();
  const again = lab.reader({ reopens: true, newSession });
  const { numbers } = await again.take(10);
  for (const n of taken.numbers) ok(numbers.includes(n), `message ${n} is lost`);
}
