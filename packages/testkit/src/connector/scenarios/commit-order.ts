import { deepEqual, ok } from "node:assert/strict";
import type { ConnectorLab } from "../lab.ts";
import { acknowledges, anyCommitOrder, commitsInOrder, stored, unless } from "../left-out.ts";
import type { Reader, Taken } from "../reader.ts";
import type { ConnectorScenario } from "../types.ts";

export const commitOrder: readonly ConnectorScenario[] = [
  {
    name: "a source that commits in order gives messages in the order in which they were sent",
    leftOut: unless(commitsInOrder, stored),
    async run(lab) {
      await lab.seed(lab.messages(200));
      const { numbers } = await lab.reader().take(200, 33);
      deepEqual(
        numbers,
        Array.from({ length: 200 }, (_, n) => n),
      );
    },
  },
  {
    name: "a commit in order covers what it names and nothing after it",
    leftOut: unless(acknowledges, commitsInOrder, stored),
    async run(lab) {
      const { reader, parts } = await inThreeParts(lab);
      await reader.commit(parts[0]);
      await reader.commit(parts[1]);
      await reader.close();
      deepEqual(await lab.rest(), parts[2].numbers);
    },
  },
  {
    name: "deliveries are committed in any order, each for itself",
    leftOut: unless(acknowledges, anyCommitOrder, stored),
    async run(lab) {
      const { reader, parts } = await inThreeParts(lab);
      const [first, second, third] = parts;
      await reader.commit(third);
      await reader.commit(first);
      await reader.close();
      const rest = await lab.rest();
      for (const n of second.numbers) ok(rest.includes(n), `message ${n} was not committed and is lost`);
      for (const n of [...first.numbers, ...third.numbers]) ok(!rest.includes(n), `message ${n} was committed`);
    },
  },
  {
    name: "deliveries are committed at the same time",
    leftOut: unless(acknowledges, anyCommitOrder, stored),
    async run(lab) {
      const { reader, parts } = await inThreeParts(lab);
      await Promise.all(parts.map((part) => reader.commit(part)));
      await reader.close();
      deepEqual(await lab.rest(), []);
    },
  },
];

/** A source gives as many at once as it likes, up to what it is asked for: the parts need not be equal. */
async function inThreeParts(lab: ConnectorLab): Promise<{ reader: Reader; parts: [Taken, Taken, Taken] }> {
  const count = 9;
  await lab.seed(lab.messages(count));
  const reader = lab.reader();
  const first = await reader.take(1, 3);
  const second = await reader.take(1, 3);
  const third = await reader.take(count - first.numbers.length - second.numbers.length, 3);
  return { reader, parts: [first, second, third] };
}
