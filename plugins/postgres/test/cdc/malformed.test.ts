import { randomFrom } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { StreamFault } from "../../src/cdc/decode/fault.ts";
import { Feed, pgoutput, recorded } from "./feed.ts";

/** Nothing, or what was wrong; anything but a fault of the stream fails the test. */
async function faultOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(StreamFault);
    return (error as Error).message;
  }
}

describe("a stream that is none", () => {
  it.each([
    ["an unknown message", Buffer.from("X")],
    ["no message", Buffer.alloc(0)],
    ["a change outside of a transaction", pgoutput.insert(1, ["1"])],
    ["a commit without its transaction", pgoutput.commit(10)],
    ["the end of a piece without its beginning", Buffer.from("E")],
  ])("is a fault: %s", async (_, message) => {
    expect(await faultOf(() => new Feed().message(message))).toBeDefined();
  });

  it.each([
    ["a table that was not described", pgoutput.insert(9, ["1"])],
    ["other columns than its table", pgoutput.insert(1, ["1", "2"])],
    ["an integer that is none", pgoutput.insert(1, ["1x"])],
    ["a transaction inside of another one", pgoutput.begin()],
  ])("is a fault inside of a transaction: %s", async (_, message) => {
    const feed = new Feed();
    await feed.message(pgoutput.begin());
    await feed.message(pgoutput.relation(1, [["id", 23, true]]));
    expect(await faultOf(() => feed.message(message))).toBeDefined();
  });

  it("is a fault wherever a message ends too early", async () => {
    const columns = [["id", 23, true]] as const;
    for (const whole of [
      pgoutput.insert(1, ["1"]),
      pgoutput.update(1, ["1"], ["K", ["1"]]),
      pgoutput.relation(1, columns),
      pgoutput.commit(10),
    ]) {
      for (let end = 1; end < whole.length; end++) {
        const feed = new Feed();
        await feed.message(pgoutput.begin());
        await feed.message(pgoutput.relation(1, columns));
        expect(await faultOf(() => feed.message(whole, 0, end)), `${whole[0]} up to ${end}`).toBeDefined();
      }
    }
  });

  it("ends with a fault or with nothing when bytes of it are others, and never hangs", async () => {
    const random = randomFrom(7);
    const whole = [recorded("changes"), recorded("pieces").subarray(0, 12_000)];
    let faults = 0;
    for (let round = 0; round < 60; round++) {
      const bytes = Buffer.from(whole[round % 2]!);
      for (let n = 0; n < 3; n++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      const feed = new Feed();
      if ((await faultOf(() => feed.push(bytes))) !== undefined) faults++;
      await feed.spools.close();
    }
    expect(faults).toBeGreaterThan(8);
  });
});
