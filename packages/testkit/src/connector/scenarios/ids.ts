import { deepEqual, equal } from "node:assert/strict";
import { acknowledges, holds, output, stableIds, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

export const ids: readonly ConnectorScenario[] = [
  {
    name: "a message keeps the id that it was sent with",
    leftOut: unless(stableIds, output, holds("ids")),
    async run(lab) {
      const sent = lab.messages(5);
      const { reader, sent: sending } = await lab.begin(sent);
      const taken = await reader.take(5);
      await reader.commit(taken);
      await sending;
      for (const message of taken.messages) equal(message.id, sent[lab.number(message)]!.id);
    },
  },
  {
    name: "a message has the same id when it is delivered again",
    leftOut: unless(stableIds, acknowledges, stored),
    async run(lab) {
      await lab.seed(lab.messages(5));
      const reader = lab.reader();
      const first = await reader.take(5);
      const before = new Map(first.messages.map((message) => [lab.number(message), message.id]));
      equal(new Set(before.values()).size, 5, "different messages have different ids");
      await reader.close();
      const again = lab.reader({ reopens: true });
      const second = await again.take(5);
      const after = new Map(second.messages.map((message) => [lab.number(message), message.id]));
      deepEqual([...after].sort(byNumber), [...before].sort(byNumber));
    },
  },
];

function byNumber(a: readonly [number, string], b: readonly [number, string]): number {
  return a[0] - b[0];
}
