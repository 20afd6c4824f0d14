import { isPending, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { message, payloads, setUp } from "./setup.ts";

it("fires a group that is not whole in time, without ending the read that is under way", async () => {
  const { clock, source, consumer, receive } = await setUp();
  source.push([message("x", "1")]);
  expect((await receive()).emptied).toBe("held");
  const waiting = consumer.receive(100, NEVER);
  await clock.advance(299);
  expect(await isPending(waiting)).toBe(true);
  await clock.advance(1);
  expect(payloads((await within(waiting, "it fires")).batch)).toEqual(["[1]"]);
  expect([source.asked.length, source.lastSignal!.aborted, clock.pending]).toEqual([2, false, 0]);
  source.push([message("y", "2"), message("y", "3")]);
  expect(payloads((await receive()).batch)).toEqual(["[2,3]"]);
  expect([source.asked.length, source.violations]).toEqual([2, []]);
});

it("says of a fired group of branches that it is not complete", async () => {
  const { clock, source, consumer, receive } = await setUp({ branch_by: "src", required: ["inv", "price"] });
  source.push([message("x", "1", { src: "price" })]);
  await receive();
  const waiting = consumer.receive(100, NEVER);
  await clock.advance(300);
  const { batch } = await within(waiting, "it fires");
  expect(payloads(batch)).toEqual(['{"price":1}']);
  expect(batch.metadata(0).get("join_complete")).toBe("false");
});

it("counts the time of each group from its first message, with one timer for all", async () => {
  const { clock, source, consumer, receive } = await setUp({ expected_count: 3 });
  source.push([message("x", "1"), message("y", "2")]);
  await receive();
  await clock.advance(200);
  source.push([message("x", "3"), message("z", "4")]);
  await receive();
  const first = consumer.receive(100, NEVER);
  expect(clock.pending).toBe(1);
  await clock.advance(100);
  expect(payloads((await within(first, "two fire")).batch)).toEqual(["[1,3]", "[2]"]);
  const second = consumer.receive(100, NEVER);
  await clock.advance(200);
  expect(payloads((await within(second, "the third fires")).batch)).toEqual(["[4]"]);
});

it("discards a group that is not whole in time, acknowledges its members and accounts for them", async () => {
  const { context, clock, source, consumer, receive } = await setUp({ on_timeout: "discard" });
  source.push([message("x", "1"), message("x", "2"), message("y", "3")]);
  const joined = await receive();
  const waiting = consumer.receive(100, NEVER);
  await clock.advance(300);
  const nothing = await within(waiting, "it answers");
  expect([nothing.batch.length, nothing.emptied]).toEqual([0, true]);
  await nothing.commit();
  expect(source.commits).toEqual([]);
  context.accounting.settle("delivered", 1);
  await joined.commit();
  expect(source.commits.map((one) => one.commits)).toEqual([1]);
  expect(context.accounting.snapshot()).toMatchObject({ received: 3, delivered: 1, filtered: 2, inFlight: 0 });
  expect(context.log.at("warn")).toEqual([expect.stringContaining("1 group(s) were not whole in time")]);
});

it("reads no more while open groups hold too much, until the time of the oldest is over", async () => {
  const { clock, source, consumer, receive } = await setUp({ max_open_bytes: 1_000 });
  source.push([message("x", "1".repeat(900))]).push([message("x", "2")]);
  await receive();
  const waiting = consumer.receive(100, NEVER);
  await clock.advance(299);
  expect([await isPending(waiting), source.asked.length]).toEqual([true, 1]);
  await clock.advance(1);
  expect((await within(waiting, "it fires")).batch.length).toBe(1);
  await receive();
  expect(source.asked.length).toBe(2);
});

it.each([
  [true, "until the oldest group is over"],
  [false, "until one of them is committed"],
])("with commits in order: %s, reads no more while batches wait for open groups, %s", async (commitsInOrder) => {
  const { clock, source, consumer, receive } = await setUp({ max_open_bytes: 2_000 }, { below: { commitsInOrder } });
  const large = (group: string) => message(group, "1".repeat(900));
  source
    .push([message("x", "1")])
    .push([large("y"), large("y")])
    .push([large("v")])
    .push([message("w", "2")]);
  await receive();
  const joined = await receive();
  await receive();
  const blocked = consumer.receive(100, NEVER);
  expect([await isPending(blocked), source.asked.length]).toEqual([true, 3]);
  await joined.commit();
  if (commitsInOrder) {
    // The second batch is settled, but the first one is not.
    expect([await isPending(blocked), source.commits.length]).toEqual([true, 0]);
    await clock.advance(300);
    await (await within(blocked, "the oldest groups fire")).commit();
    expect(source.commits.length).toBe(3);
  } else {
    await within(blocked, "it reads on");
    expect([source.asked.length, source.commits.length, clock.monotonic()]).toEqual([4, 1, 0]);
  }
});

it.each(["its signal aborts", "it closes"])("a wait for the oldest group ends when %s", async (how) => {
  const { clock, source, consumer, receive } = await setUp({ max_open_bytes: 1 });
  source.push([message("x", "1")]);
  await receive();
  const stop = new AbortController();
  const waiting = consumer.receive(100, stop.signal);
  await clock.waiting();
  if (how === "it closes") await consumer.close();
  else stop.abort();
  expect((await within(waiting, "it ends")).batch.length).toBe(0);
  expect(clock.pending).toBe(0);
});
