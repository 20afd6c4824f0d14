import { sleep } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { FakeClock, isPending, within } from "../src/index.ts";

describe("FakeClock", () => {
  it("stands still until it is moved", async () => {
    const clock = new FakeClock(1000);
    const sleeping = sleep(clock, 50);
    expect(await isPending(sleeping)).toBe(true);
    expect([clock.now(), clock.monotonic()]).toEqual([1000, 0]);
    await clock.advance(50);
    expect(await sleeping).toBe(true);
    expect([clock.now(), clock.monotonic()]).toEqual([1050, 50]);
  });

  it("runs timers when they are due, in order, each at its own time", async () => {
    const clock = new FakeClock(0);
    const ran: string[] = [];
    clock.timer(30, () => ran.push(`late at ${clock.now()}`));
    clock.timer(10, () => ran.push(`early at ${clock.now()}`));
    clock.timer(10, () => ran.push("same time, armed later"));
    clock.timer(31, () => ran.push("not yet"));
    await clock.advance(30);
    expect(ran).toEqual(["early at 10", "same time, armed later", "late at 30"]);
    expect(clock.pending).toBe(1);
    expect(clock.nextIn).toBe(1);
  });

  it("lets what a timer sets off run before the next timer", async () => {
    const clock = new FakeClock();
    const ran: string[] = [];
    const chain = async (): Promise<void> => {
      await sleep(clock, 10);
      ran.push("first");
      await sleep(clock, 10);
      ran.push("second");
    };
    const done = chain();
    clock.timer(15, () => ran.push("between"));
    await clock.advance(20);
    await done;
    expect(ran).toEqual(["first", "between", "second"]);
  });

  it("does not run what is cancelled", async () => {
    const clock = new FakeClock();
    let ran = false;
    const cancel = clock.timer(10, () => {
      ran = true;
    });
    cancel();
    cancel();
    await clock.advance(20);
    expect(ran).toBe(false);
    expect([clock.pending, clock.armed]).toEqual([0, 1]);
  });

  it("tells when somebody waits", async () => {
    const clock = new FakeClock();
    const two = clock.waiting(2);
    clock.timer(1, () => {});
    expect(await isPending(two)).toBe(true);
    clock.timer(1, () => {});
    await within(two, "two timers");
    await within(clock.waiting(), "at once");
  });

  it("jumps over pauses until a promise settles", async () => {
    const clock = new FakeClock(0);
    const result = await clock.runUntil(sleep(clock, 1_000_000).then(() => "done"));
    expect(result).toBe("done");
    expect(clock.now()).toBe(1_000_000);
  });

  it("passes on what a promise rejects with", async () => {
    const clock = new FakeClock();
    const failing = sleep(clock, 10).then(() => Promise.reject(new Error("no luck")));
    await expect(clock.runUntil(failing)).rejects.toThrow("no luck");
  });

  it("says that a promise waits for nothing", async () => {
    const clock = new FakeClock();
    await expect(clock.runUntil(new Promise(() => {}), undefined, 10)).rejects.toThrow("no timer is armed");
    clock.timer(5000, () => {});
    await expect(clock.runUntil(new Promise(() => {}), 1000, 10)).rejects.toThrow("beyond the limit");
  });
});
