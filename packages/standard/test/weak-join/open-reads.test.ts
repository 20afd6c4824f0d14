import { batchOf } from "@mqb/core/plugin";
import { within } from "@mqb/testkit";
import { expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { message, payloads, setUp } from "./setup.ts";

it.each(["the time of a group is over", "its signal aborts"])(
  "over a source that takes nothing back, leaves no read open when %s, and loses nothing of it",
  async (when) => {
    const { clock, source, consumer, receive } = await setUp({}, { below: { acknowledges: false } });
    source.push([message("x", "1")]);
    await receive();
    const read = source.receive.bind(source);
    // It brings a message at the moment at which it is told to stop.
    source.receive = async (max, signal) => {
      const delivery = await read(max, signal);
      return signal.aborted ? { ...delivery, batch: batchOf([message("y", "2")]) } : delivery;
    };
    const stop = new AbortController();
    const waiting = consumer.receive(100, stop.signal);
    await source.received(2);
    if (when === "its signal aborts") stop.abort();
    else await clock.advance(300);
    await within(waiting, "it answers");
    expect([source.lastSignal!.aborted, consumer.status!().details]).toMatchObject([true, { open_messages: 2 }]);
    source.push([message("y", "3")]);
    const joined: string[] = [];
    while (!joined.includes("[2,3]")) joined.push(...payloads((await receive()).batch));
    expect(source.violations).toEqual([]);
  },
);

it("over one that takes back, its read stays open", async () => {
  const { clock, source, consumer, receive } = await setUp();
  source.push([message("x", "1")]);
  await receive();
  const waiting = consumer.receive(100, NEVER);
  await source.received(2);
  await clock.advance(300);
  expect(payloads((await within(waiting, "it fires")).batch)).toEqual(["[1]"]);
  expect([source.lastSignal!.aborted, source.asked.length]).toEqual([false, 2]);
});
