import { describe, expect, it } from "vitest";
import { eventually, isPending, recordingLogger, within } from "../src/index.ts";

describe("within", () => {
  it("gives what the promise gives", async () => {
    expect(await within(Promise.resolve(7), "seven")).toBe(7);
    await expect(within(Promise.reject(new Error("no")), "seven")).rejects.toThrow("no");
  });

  it("says what did not happen", async () => {
    await expect(within(new Promise(() => {}), "the answer", 5)).rejects.toThrow(
      "the answer: did not happen within 5 ms",
    );
  });
});

describe("eventually", () => {
  it("waits until there is something, and gives it", async () => {
    let looks = 0;
    expect(await eventually(() => (++looks < 70 ? undefined : { looks }), "the seventieth look")).toEqual({
      looks: 70,
    });
  });

  it("takes 0 and empty text for something", async () => {
    expect(await eventually(() => 0, "zero")).toBe(0);
    expect(await eventually(async () => "", "nothing said")).toBe("");
  });

  it("ends with what the check throws, or when it takes too long", async () => {
    const failing = (): never => {
      throw new Error("broken");
    };
    await expect(eventually(failing, "anything")).rejects.toThrow("broken");
    await expect(eventually(() => false, "the impossible", 5)).rejects.toThrow("the impossible: did not happen");
  });
});

describe("isPending", () => {
  it("tells open promises from settled ones", async () => {
    expect(await isPending(new Promise(() => {}))).toBe(true);
    expect(await isPending(Promise.resolve())).toBe(false);
    expect(await isPending(Promise.reject(new Error("settled too")))).toBe(false);
    expect(await isPending(new Promise((resolve) => setImmediate(resolve)))).toBe(false);
  });
});

describe("recordingLogger", () => {
  it("keeps entries by level", () => {
    const log = recordingLogger();
    log.info("one");
    log.warn("two", { n: 2 });
    expect(log.at("info")).toEqual(["one"]);
    expect(log.entries[1]).toEqual({ level: "warn", message: "two", fields: { n: 2 } });
  });

  it("waits for an entry, past or future", async () => {
    const log = recordingLogger();
    const future = log.logged("warn", /^slow/);
    log.info("slow start");
    log.warn("slow end");
    expect((await within(future, "the entry")).message).toBe("slow end");
    expect((await within(log.logged("info", /start/), "the past entry")).level).toBe("info");
  });

  it("shows the causes of errors in its text", () => {
    const log = recordingLogger();
    log.error("failed", { error: new Error("outer", { cause: new Error("password=geheim") }), size: 7n });
    expect(log.text()).toContain("password=geheim");
  });
});
