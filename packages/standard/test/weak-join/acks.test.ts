import { ACK, Message, nack, reply } from "@mqb/core/plugin";
import { within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { cut } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { message, payloads, setUp } from "./setup.ts";

const types = (list: readonly { readonly dispositions: readonly { type: string }[] | undefined }[]) =>
  list.map(({ dispositions }) => dispositions?.map(({ type }) => type) ?? "all acked");

it("acknowledges a message when the one that it went into is committed, not before", async () => {
  const { source, receive } = await setUp();
  source.push([message("x", "1"), message("y", "2")]).push([message("x", "3")]);
  const open = await receive();
  await open.commit();
  const joined = await receive();
  expect(source.commits).toEqual([]);
  await joined.commit();
  // Of the first batch one message is still open.
  expect(source.commits.map((one) => payloads(one.batch))).toEqual([["3"]]);
  source.push([message("y", "4")]);
  await (await receive()).commit();
  expect(types(source.commits)).toEqual(["all acked", "all acked", "all acked"]);
  expect(source.violations).toEqual([]);
});

it("a nack of the joined message nacks its members, a reply answers them", async () => {
  const { source, receive } = await setUp();
  const answer = new Message("done");
  source.push([
    message("x", "1"),
    message("y", "2"),
    message("z", "3"),
    message("y", "4"),
    message("x", "5"),
    message("z", "6"),
  ]);
  const joined = await receive();
  expect(payloads(joined.batch)).toEqual(["[2,4]", "[1,5]", "[3,6]"]);
  await joined.commit([nack(cut), ACK, reply(answer)]);
  expect(source.commits[0]!.dispositions).toEqual([ACK, nack(cut), reply(answer), nack(cut), ACK, reply(answer)]);
});

it("commits batches in the order in which they came where the source needs that, also when groups end in another", async () => {
  const { source, receive } = await setUp({}, { below: { commitsInOrder: true } });
  source
    .push([message("x", "1")])
    .push([message("y", "2"), message("y", "3")])
    .push([message("x", "4")]);
  await (await receive()).commit();
  const second = await receive();
  await second.commit();
  expect(source.commits).toEqual([]);
  const third = await receive();
  await third.commit([nack(cut)]);
  expect(source.commits.map((one) => payloads(one.batch))).toEqual([["1"], ["2", "3"], ["4"]]);
  expect(types(source.commits)).toEqual([["nack"], "all acked", ["nack"]]);
});

it("commits nothing behind a commit that failed, where the source needs an order", async () => {
  const { source, receive } = await setUp({}, { below: { commitsInOrder: true } });
  source.push([message("x", "1"), message("x", "2")]).push([message("y", "3"), message("y", "4")]);
  const first = await receive();
  const second = await receive();
  source.failNextCommit(cut);
  await expect(first.commit()).rejects.toBe(cut);
  await expect(second.commit()).rejects.toBe(cut);
  expect(source.commits.length).toBe(1);
});

it("accounts for every member: one goes on, the others are taken out", async () => {
  const { context, source, receive } = await setUp({ expected_count: 3 });
  source.push([message("x", "1"), message("x", "2"), message("x", "3"), message("y", "4")]);
  await receive();
  expect(context.accounting.snapshot()).toMatchObject({ received: 4, filtered: 2, inFlight: 2 });
  expect(context.accounting.imbalance()).toBe(0);
});

it("with on_receive, acknowledges at once and keeps what is open over a reconnect", async () => {
  const session = new Map<string, unknown>();
  const first = await setUp({ ack: "on_receive" }, { session });
  first.source.push([message("x", "1"), message("y", "2")]);
  await (await first.receive()).commit();
  expect(types(first.source.commits)).toEqual(["all acked"]);
  await first.consumer.close();
  expect(first.context.log.at("warn")).toEqual([expect.stringContaining("2 message(s) of open groups")]);

  const again = await setUp({ ack: "on_receive" }, { session });
  expect(again.context.accounting.snapshot()).toMatchObject({ received: 2, inFlight: 2 });
  again.source.push([message("x", "3")]);
  const joined = await again.receive();
  expect(payloads(joined.batch)).toEqual(["[1,3]"]);
  await joined.commit([nack(cut)]);
  expect(again.source.violations).toEqual([]);
});

it("with on_receive, keeps what is joined and not handed on yet over a reconnect", async () => {
  const session = new Map<string, unknown>();
  const first = await setUp({ ack: "on_receive" }, { session });
  first.source.push([message("x", "1"), message("y", "2"), message("z", "3")]);
  await first.receive();
  await first.clock.advance(300);
  expect(payloads((await first.receive(1)).batch)).toEqual(["[1]"]);
  expect(first.consumer.status!().details).toMatchObject({ open_messages: 0, joined_messages: 2 });
  await first.consumer.close();
  expect(first.context.log.at("warn")).toEqual([expect.stringContaining("2 joined one(s)")]);

  const again = await setUp({ ack: "on_receive" }, { session });
  expect(again.context.accounting.snapshot()).toMatchObject({ received: 2, inFlight: 2 });
  expect(payloads((await again.receive()).batch)).toEqual(["[2]", "[3]"]);
  expect(again.context.accounting.snapshot()).toMatchObject({ received: 2, inFlight: 2 });
  await again.consumer.close();
  expect(again.context.log.at("warn")).toEqual([]);
});

it("with on_join, keeps what is open over a reconnect of a source that gives nothing again", async () => {
  const session = new Map<string, unknown>();
  const below = { acknowledges: false };
  const first = await setUp({}, { session, below });
  first.source.push([message("x", "1"), message("y", "2")]);
  await (await first.receive()).commit();
  await first.consumer.close();
  expect(first.context.log.at("warn")).toEqual([expect.stringContaining("2 message(s) of open groups")]);

  const again = await setUp({}, { session, below });
  again.source.push([message("x", "3")]);
  const joined = await again.receive();
  expect(payloads(joined.batch)).toEqual(["[1,3]"]);
  await joined.commit();
  // Of the batches only that of this opening is committed: the other belongs to a source that is closed.
  expect([first.source.commits, again.source.commits].map(({ length }) => length)).toEqual([0, 1]);
  expect(again.source.violations).toEqual([]);
});

it("with on_join, keeps nothing of a source that gives its messages again while the process lives", async () => {
  const session = new Map<string, unknown>();
  const below = { acknowledges: false, takesBack: true };
  const first = await setUp({}, { session, below });
  first.source.push([message("x", "1")]);
  await (await first.receive()).commit();
  await first.consumer.close();
  expect(first.context.log.at("warn")).toEqual([]);
  expect((await setUp({}, { session, below })).consumer.status!().details).toMatchObject({ open_messages: 0 });
});

it("with on_join, what was open goes back to the source at a close", async () => {
  const session = new Map<string, unknown>();
  const first = await setUp({}, { session });
  first.source.push([message("x", "1")]);
  await first.receive();
  await first.consumer.close();
  expect(first.source.commits).toEqual([]);
  const again = await setUp({}, { session });
  again.source.push([message("x", "1"), message("x", "2")]);
  expect(payloads((await again.receive()).batch)).toEqual(["[1,2]"]);
});

it("a stop ends a read and fires nothing", async () => {
  const { clock, source, consumer } = await setUp({}, { draining: true });
  source.push([message("x", "1")]);
  const stop = new AbortController();
  const waiting = consumer.receive(100, stop.signal);
  await source.received(2);
  stop.abort();
  const nothing = await within(waiting, "it ends");
  expect([nothing.batch.length, source.lastSignal!.aborted, clock.pending]).toEqual([0, true, 0]);
  // A route that goes on reading has only heard nothing for a while: that is the end of its drain.
  expect(payloads((await within(consumer.receive(100, NEVER), "it fires")).batch)).toEqual(["[1]"]);
});

it("in a drain, groups that are not whole at the end of the source do not wait for their time", async () => {
  const { clock, source, receive } = await setUp({ timeout_ms: 3_600_000 }, { draining: true });
  source
    .push([message("x", "1")])
    .pushEmpty()
    .pushEmpty();
  const fired = await receive();
  expect(payloads(fired.batch)).toEqual(["[1]"]);
  await fired.commit();
  const end = await receive();
  expect([end.batch.length, end.emptied]).toEqual([0, undefined]);
  await end.commit();
  expect([source.commits.length, clock.pending]).toEqual([3, 0]);
});

it.each([true, false])("in a drain of a source that knows its end: %s, reads on by itself", async (bounded) => {
  const { source, receive } = await setUp({ expected_count: 3 }, { draining: true, below: { bounded } });
  source
    .push([message("x", "1")])
    .push([message("x", "2")])
    .push([message("x", "3")]);
  if (!bounded) for (let i = 0; i < 2; i++) expect((await receive()).emptied).toBe("held");
  expect(payloads((await receive()).batch)).toEqual(["[1,2,3]"]);
  expect(source.asked.length).toBe(3);
});

it("in a drain, discarded groups are not the end of the source", async () => {
  const { source, receive } = await setUp({ on_timeout: "discard" }, { draining: true });
  source
    .push([message("x", "1")])
    .pushEmpty()
    .pushEmpty();
  const discarded = await receive();
  expect([discarded.batch.length, discarded.emptied]).toEqual([0, true]);
  await discarded.commit();
  expect((await receive()).emptied).toBeUndefined();
});
