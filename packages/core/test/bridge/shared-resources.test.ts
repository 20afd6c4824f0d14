import { describe, expect, it } from "vitest";
import { SharedResources } from "../../src/bridge/shared.ts";
import { FakeClock } from "../fakes/clock.ts";
import { deferred } from "../fakes/deferred.ts";
import { settled } from "../fakes/until.ts";

function factory() {
  const events: string[] = [];
  let made = 0;
  return {
    events,
    make: async () => {
      made += 1;
      events.push(`make ${made}`);
      return made;
    },
    dispose: async (value: number) => void events.push(`dispose ${value}`),
  };
}

describe("a shared resource", () => {
  it("is made once for all who ask at the same time, and ends with its last holder", async () => {
    const shared = new SharedResources(new FakeClock());
    const { events, make, dispose } = factory();
    const [a, b] = await Promise.all([shared.acquire("k", make, dispose), shared.acquire("k", make, dispose)]);
    expect([a.value, b.value]).toEqual([1, 1]);
    await a.release();
    await a.release();
    expect(events).toEqual(["make 1"]);
    expect(shared.keys()).toEqual(["k"]);
    await b.release();
    expect(events).toEqual(["make 1", "dispose 1"]);
    expect(shared.keys()).toEqual([]);
  });

  it("is another one for another key, and after the end", async () => {
    const shared = new SharedResources(new FakeClock());
    const { events, make, dispose } = factory();
    const a = await shared.acquire("a", make, dispose);
    const b = await shared.acquire("b", make, dispose);
    await a.release();
    const again = await shared.acquire("a", make, dispose);
    expect([a.value, b.value, again.value]).toEqual([1, 2, 3]);
    expect(events).toEqual(["make 1", "make 2", "dispose 1", "make 3"]);
  });

  it("is made although the last one never ends, after two seconds; the old one takes nothing with it when it ends late", async () => {
    const clock = new FakeClock();
    const shared = new SharedResources(clock);
    const gate = deferred();
    const { events, make } = factory();
    const first = await shared.acquire("k", make, () => gate.promise);
    const released = first.release();
    const waiting = Promise.all([shared.acquire("k", make, async () => {}), shared.acquire("k", make, async () => {})]);
    await clock.advance(1999);
    expect(events).toEqual(["make 1"]);
    await clock.advance(1);
    const [second, third] = await waiting;
    expect([second.value, third.value]).toEqual([2, 2]);
    gate.resolve();
    await released;
    expect([shared.keys(), clock.pending]).toEqual([["k"], 0]);
  });

  it("is not made while the last one is being disposed of", async () => {
    const shared = new SharedResources(new FakeClock());
    const gate = deferred();
    const events: string[] = [];
    const make = async () => void events.push("make");
    const dispose = () => gate.promise.then(() => void events.push("disposed"));
    const first = await shared.acquire("port", make, dispose);
    const released = first.release();
    const waiting = [shared.acquire("port", make, dispose), shared.acquire("port", make, dispose)];
    await settled();
    expect(events).toEqual(["make"]);
    gate.resolve();
    await Promise.all([released, ...waiting]);
    expect(events).toEqual(["make", "disposed", "make"]);
  });

  it.each([
    ["rejects", () => Promise.reject(new Error("refused"))],
    [
      "throws",
      () => {
        throw new Error("refused");
      },
    ],
  ])("whose making %s is not kept, and everybody who waited hears it", async (_, fail) => {
    const shared = new SharedResources(new FakeClock());
    const { make, dispose } = factory();
    const failed = await Promise.allSettled([
      shared.acquire<number>("k", fail, dispose),
      shared.acquire<number>("k", fail, dispose),
    ]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(shared.keys()).toEqual([]);
    const { value, release } = await shared.acquire("k", make, dispose);
    expect(value).toBe(1);
    await release();
  }); // prettier-ignore

  it.each([
    ["rejects", () => Promise.reject(new Error("stuck"))],
    [
      "throws",
      () => {
        throw new Error("stuck");
      },
    ],
  ])("whose disposal %s is gone all the same, and its last holder hears it", async (_, dispose) => {
    const shared = new SharedResources(new FakeClock());
    const { make } = factory();
    const held = await shared.acquire("k", make, dispose);
    const released = held.release();
    const next = shared.acquire("k", make, dispose);
    await expect(released).rejects.toThrow("stuck");
    expect((await next).value).toBe(2);
  }); // prettier-ignore
});
