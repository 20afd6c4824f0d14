import { deepEqual, ok } from "node:assert/strict";
import { NACK, nack } from "@mqb/core/plugin";
import { acknowledges, commitsInOrder, stored, takesBack, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

const again = nack(new Error("not now"));

export const nacks: readonly ConnectorScenario[] = [
  {
    name: "a nacked message is delivered again",
    leftOut: unless(takesBack, stored),
    async run(lab) {
      await lab.seed(lab.messages(3));
      const reader = lab.reader({ reopens: true });
      await reader.commit(await reader.take(3), (message) => (lab.number(message) === 1 ? again : undefined));
      await reader.readUntil((message) => lab.number(message) === 1);
      await reader.close();
      deepEqual(await lab.rest(), [], "acked at last");
    },
  },
  {
    name: "a nack does not bring back what was acked before it",
    leftOut: unless(takesBack, stored),
    async run(lab) {
      await lab.seed(lab.messages(4));
      const reader = lab.reader({ reopens: true });
      const first = await reader.take(1, 2);
      await reader.commit(first);
      const second = await reader.take(1, 2);
      await reader.commit(second, () => NACK);
      const seen: number[] = [];
      await reader.readUntil((message) => {
        seen.push(lab.number(message));
        return second.numbers.every((n) => seen.includes(n));
      });
      deepEqual(
        seen.filter((n) => first.numbers.includes(n)),
        [],
      );
    },
  },
  {
    name: "a batch that is nacked as a whole is delivered again as a whole",
    leftOut: unless(takesBack, stored),
    async run(lab) {
      await lab.seed(lab.messages(20));
      const reader = lab.reader({ reopens: true });
      await reader.commit(await reader.take(20), () => again);
      const second = await reader.take(20);
      deepEqual(
        [...new Set(second.numbers)].sort((a, b) => a - b),
        Array.from({ length: 20 }, (_, n) => n),
      );
    },
  },
  {
    name: "nacked messages of a source with an order come back in that order",
    leftOut: unless(takesBack, stored, commitsInOrder),
    async run(lab) {
      await lab.seed(lab.messages(10));
      const reader = lab.reader({ reopens: true });
      const bad = [3, 5, 8];
      await reader.commit(await reader.take(10), (message) => (bad.includes(lab.number(message)) ? again : undefined));
      const seen: number[] = [];
      await reader.readUntil((message) => {
        const n = lab.number(message);
        if (bad.includes(n) && !seen.includes(n)) seen.push(n);
        return seen.length === bad.length;
      });
      deepEqual(seen, bad);
    },
  },
  {
    name: "an ack of later messages does not skip a nacked one",
    leftOut: unless(acknowledges, stored),
    async run(lab) {
      await lab.seed(lab.messages(4));
      const reader = lab.reader({ reopens: true });
      const first = await reader.take(1, 2);
      const second = await reader.take(1, 2);
      const seen: number[] = [];
      await reader.commit({ deliveries: first.deliveries }, () => again);
      await reader.commit({ deliveries: second.deliveries });
      await reader.close();
      for (const n of await lab.rest()) seen.push(n);
      for (const n of first.numbers) ok(seen.includes(n), `message ${n} was nacked and never came back`);
    },
  },
];
