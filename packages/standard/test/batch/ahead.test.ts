import type { Consumer, Delivery } from "@mqb/core/plugin";
import { FakeClock, messageBatch, ScriptedConsumer, texts, within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { Ahead } from "../../src/batch/ahead.ts";
import { cut } from "../failures.ts";
import { NEVER } from "../opened.ts";

function setUp(acknowledges: boolean, source: Consumer = new ScriptedConsumer()) {
  const clock = new FakeClock();
  return { clock, source: source as ScriptedConsumer, ahead: new Ahead(source, clock, { acknowledges }) };
}

/** A source whose read brings a message at the moment at which it is ended. */
const late: Consumer = {
  receive: (_, signal) =>
    new Promise<Delivery>((resolve) => {
      const give = (): void => resolve({ batch: messageBatch(1), commit: async () => {} });
      signal.addEventListener("abort", give, { once: true });
    }),
  close: async () => {},
};

type End = "its time is over" | "the signal aborts";
const ENDS: End[] = ["its time is over", "the signal aborts"];

/** A read that waits no longer. */
async function wait({ clock, ahead }: ReturnType<typeof setUp>, end: End): Promise<Delivery | undefined> {
  const stop = new AbortController();
  const waiting = ahead.within(10, 5, stop.signal);
  if (end === "the signal aborts") stop.abort();
  else await clock.advance(10);
  return within(waiting, "it waits no longer");
}

it.each(ENDS)("keeps a read open for the next call when %s, where nothing is lost by that", async (end) => {
  const set = setUp(true);
  expect(await wait(set, end)).toBeUndefined();
  expect(set.source.lastSignal!.aborted).toBe(false);
  set.source.push(messageBatch(2));
  expect(texts((await set.ahead.receive(5, NEVER)).batch)).toEqual(["message 0", "message 1"]);
  expect([set.source.asked, set.source.violations]).toEqual([[5], []]);
});

it.each(ENDS)("ends a read when %s, where what it brings would be lost, and gives what came of it", async (end) => {
  const delivery = await wait(setUp(false, late), end);
  expect(texts(delivery!.batch)).toEqual(["message 0"]);
});

it("a read that was ended before its time is not the end of the source", async () => {
  const set = setUp(false);
  const delivery = await wait(set, "its time is over");
  expect([delivery!.batch.length, delivery!.emptied, set.source.lastSignal!.aborted]).toEqual([0, "held", true]);
  await delivery!.commit();
  expect(set.source.commits.length).toBe(1);
});

it("tells apart what it gives when the signal aborts: that is how a drain ends", async () => {
  expect((await wait(setUp(false), "the signal aborts"))!.emptied).toBeUndefined();
});

it.each([true, false])("an error that is kept for the next call stays (reads are kept: %s)", async (acknowledges) => {
  const { ahead } = setUp(acknowledges);
  ahead.failNext(cut);
  expect(await ahead.within(10, 5, AbortSignal.abort())).toBeUndefined();
  await expect(ahead.receive(5, NEVER)).rejects.toBe(cut);
});
