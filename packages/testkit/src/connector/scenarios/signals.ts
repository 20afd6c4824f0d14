import { deepEqual, equal } from "node:assert/strict";
import { batchOf, type Consumer } from "@mqb/core/plugin";
import type { ConnectorLab } from "../lab.ts";
import { input, output, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

export const signals: readonly ConnectorScenario[] = [
  {
    name: "an abort ends a receive that waits, and later messages are not lost",
    leftOut: unless(input, stored),
    async run(lab) {
      await lab.seed(lab.messages(1));
      const reader = lab.reader();
      await reader.commit(await reader.take(1));
      for (let round = 1; round <= 3; round++) await abortWaiting(lab, await reader.open());
      await lab.seed(lab.messages(2, 1));
      const seen: number[] = [];
      await reader.readUntil((message) => {
        seen.push(lab.number(message));
        return new Set(seen).size === 2;
      });
      deepEqual(
        [...new Set(seen)].sort((a, b) => a - b),
        [1, 2],
      );
    },
  },
  {
    name: "a receive with an aborted signal takes no message away",
    leftOut: unless(input, stored),
    async run(lab) {
      await lab.seed(lab.messages(3));
      const reader = lab.reader();
      const consumer = await reader.open();
      const aborted = AbortSignal.abort(new Error("stop"));
      const seen = new Set<number>();
      const [result] = await lab.soon(Promise.allSettled([consumer.receive(10, aborted)]), "an aborted receive");
      if (result.status === "fulfilled") {
        for (const message of result.value.batch) seen.add(lab.number(message));
        await lab.soon(result.value.commit(), "a commit");
      }
      if (seen.size < 3) {
        await reader.readUntil((message) => {
          seen.add(lab.number(message));
          return seen.size === 3;
        });
      }
      equal(seen.size, 3);
    },
  },
  {
    name: "a send with an aborted signal settles",
    leftOut: unless(output, stored),
    async run(lab) {
      const publisher = await lab.publisher();
      const aborted = AbortSignal.abort(new Error("the grace period is over"));
      const sending = publisher.send(batchOf(lab.messages(2)), aborted);
      await lab.soon(Promise.allSettled([sending]), "a send with an aborted signal");
      await lab.send(publisher, lab.messages(1, 2));
    },
  },
];

async function abortWaiting(lab: ConnectorLab, consumer: Consumer): Promise<void> {
  const stop = new AbortController();
  const receiving = Promise.allSettled([consumer.receive(10, stop.signal)]);
  stop.abort(new Error("stop"));
  const [result] = await lab.soon(receiving, "the end of an aborted receive");
  if (result.status !== "fulfilled") return;
  equal(result.value.batch.length, 0);
  await lab.soon(result.value.commit(), "a commit of nothing");
}
