import { systemClock } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import { Partition } from "../src/consumer/partition.ts";
import { TransactionCommits } from "../src/consumer/transaction-commits.ts";

/** Commits what has settled when it is called; `meanwhile` is called once before it ends. */
function commitsWith(meanwhile: () => void, fails = false) {
  const partitions: Partition[] = [];
  let calls = 0;
  const commitPositions = async (): Promise<void> => {
    calls += 1;
    const settled = partitions.map((one) => [one, one.settled] as const);
    await new Promise((resolve) => setImmediate(resolve));
    if (calls === 1) meanwhile();
    if (fails) throw new Error("not now");
    for (const [one, offset] of settled) one.committed = offset;
  };
  const link = { source: undefined, sink: { commitPositions } };
  const commits = new TransactionCommits({ link, clock: systemClock, failed: () => {} });
  const settle = (number: number): Partition => {
    const partition = partitions[number] ?? (partitions[number] = new Partition("t", number, 0, undefined));
    partition.settled += 1;
    commits.add(partition);
    return partition;
  };
  return { commits, settle, calls: () => calls };
}

it("positions that settle while others are committed at the end are committed, too", async () => {
  const { commits, settle } = commitsWith(() => settle(1));
  const first = settle(0);
  await commits.flush(2000);
  expect(commits.pending()).toEqual([]);
  expect(first.committed).toBe(1);
});

it("the end does not wait for positions longer than it may, nor tries without a pause", async () => {
  const { commits, settle, calls } = commitsWith(() => {}, true);
  settle(0);
  await commits.flush(300);
  commits.hold();
  expect(commits.pending()).toHaveLength(1);
  expect(calls()).toBeLessThan(5);
});
