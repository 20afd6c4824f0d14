import { describe, expect, it } from "vitest";
import { Feed, pgoutput } from "./feed.ts";

async function transaction(feed: Feed, lsn: number, ids: readonly number[]): Promise<void> {
  await feed.message(pgoutput.begin());
  await feed.message(pgoutput.relation(1, [["id", 23, true]]));
  for (const id of ids) await feed.message(pgoutput.insert(1, [`${id}`]));
  await feed.message(pgoutput.commit(lsn));
}

describe("the position", () => {
  it("moves over transactions whose rows were all acked", async () => {
    const { log } = new Feed();
    expect(log.confirmed).toBe(0n);
    const feed = new Feed();
    await transaction(feed, 10, [1, 2]);
    await transaction(feed, 20, [3]);
    const first = feed.log.take(1)!;
    const second = feed.log.take(10)!;
    feed.log.ack(first, first.to);
    expect(feed.log.confirmed).toBe(0n);
    feed.log.ack(second, second.from + 1);
    expect(feed.log.confirmed).toBe(10n);
    feed.log.ack(second, second.to);
    expect(feed.log.confirmed).toBe(20n);
  });

  it("follows an idle server, and stays before what is on its way", async () => {
    const feed = new Feed();
    feed.log.reached(5n);
    expect(feed.log.confirmed).toBe(5n);
    await transaction(feed, 10, [1]);
    feed.log.reached(50n);
    expect(feed.log.confirmed).toBe(5n);
    const taken = feed.log.take(1)!;
    feed.log.reached(60n);
    expect(feed.log.confirmed).toBe(5n);
    feed.log.ack(taken, taken.to);
    expect(feed.log.confirmed).toBe(60n);
  });

  it("does not follow the server into a transaction that has not ended", async () => {
    const feed = new Feed();
    await feed.message(pgoutput.begin());
    feed.log.reached(50n);
    expect(feed.log.confirmed).toBe(0n);
  });

  it("moves over transactions without rows behind the ones with rows", async () => {
    const feed = new Feed();
    await transaction(feed, 10, [1]);
    await transaction(feed, 20, []);
    const taken = feed.log.take(5)!;
    expect(feed.log.confirmed).toBe(0n);
    feed.log.ack(taken, taken.to);
    expect(feed.log.confirmed).toBe(20n);
  });

  it("is kept once for all transactions without rows behind one that waits", async () => {
    const feed = new Feed();
    await transaction(feed, 10, [1]);
    for (let lsn = 20; lsn <= 2000; lsn++) await transaction(feed, lsn, []);
    await transaction(feed, 3000, [2]);
    expect(feed.log["marks"]).toHaveLength(2);
    const [first, second] = [feed.log.take(1)!, feed.log.take(1)!];
    feed.log.ack(first, first.to);
    expect(feed.log.confirmed).toBe(2000n);
    feed.log.ack(second, second.to);
    expect(feed.log.confirmed).toBe(3000n);
  });
});

it("what was given back comes again, from there on", async () => {
  const feed = new Feed();
  await transaction(feed, 10, [1, 2, 3]);
  await transaction(feed, 20, [4]);
  const taken = feed.log.take(2)!;
  feed.log.take(2);
  feed.log.ack(taken, taken.from + 1);
  feed.log.rewind();
  expect(feed.take().map((message) => message.text())).toEqual(['{"id":2}', '{"id":3}', '{"id":4}']);
  expect(feed.log.confirmed).toBe(20n);
  expect(feed.log.unread).toBe(0);
});
