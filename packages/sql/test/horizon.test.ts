import { FakeClock, recordingLogger } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { Horizon, lagFence, writersFence } from "../src/source/horizon.ts";

const never = new AbortController().signal;

/** A table with a greatest value, and transactions that are open. */
class Table {
  greatest: string | undefined;
  readonly open = new Set<string>();
  readonly last = async (): Promise<string | undefined> => this.greatest;
  readonly writers = async (): Promise<ReadonlySet<string>> => new Set(this.open);
}

function horizonOf(table: Table, options: { readonly once?: boolean; readonly lagMs?: number } = {}) {
  const [clock, log] = [new FakeClock(), recordingLogger()];
  const fence = options.lagMs === undefined ? writersFence(table as never) : lagFence(clock, options.lagMs);
  const horizon = new Horizon({ pages: table, fence, once: options.once ?? false, clock, log, target: "t" });
  return { horizon, clock, log };
}

describe("the horizon of open transactions", () => {
  it("is at the greatest value when none is open", async () => {
    const table = new Table();
    const { horizon } = horizonOf(table);
    expect(await horizon.next(never)).toBeUndefined();
    table.greatest = "7";
    expect(await horizon.next(never)).toBe("7");
    table.greatest = "9";
    expect(await horizon.next(never), "it stays until it was read up to").toBe("7");
    horizon.spend();
    expect(await horizon.next(never)).toBe("9");
    horizon.spend();
    expect(await horizon.next(never)).toBeUndefined();
    horizon.reopen();
    expect(await horizon.next(never)).toBe("9");
  });

  it("moves to a value when those have ended that were open when it was read, whoever has begun since", async () => {
    const table = new Table();
    const { horizon } = horizonOf(table);
    table.greatest = "7";
    table.open.add("a").add("b");
    expect(await horizon.next(never)).toBeUndefined();
    expect(horizon.isWaiting).toBe(true);
    table.greatest = "9";
    table.open.delete("a");
    table.open.add("c");
    expect(await horizon.next(never)).toBeUndefined();
    table.open.delete("b");
    expect(await horizon.next(never)).toBe("7");
    expect(horizon.isWaiting).toBe(false);
  });

  it("of a reader to the end goes no further than to the first value", async () => {
    const table = new Table();
    const { horizon } = horizonOf(table, { once: true });
    table.greatest = "7";
    expect(await horizon.next(never)).toBe("7");
    horizon.spend();
    table.greatest = "9";
    expect(await horizon.next(never)).toBeUndefined();
    expect(horizon.isWaiting).toBe(false);
  });

  it("says once that it has waited for long", async () => {
    const table = new Table();
    const { horizon, clock, log } = horizonOf(table);
    table.greatest = "7";
    table.open.add("a");
    await horizon.next(never);
    await clock.advance(60_000);
    await horizon.next(never);
    await horizon.next(never);
    expect(log.at("warn")).toHaveLength(1);
  });
});

it("the horizon of a lag moves to a value when the time is over", async () => {
  const table = new Table();
  const { horizon, clock } = horizonOf(table, { lagMs: 1000 });
  table.greatest = "7";
  expect(await horizon.next(never)).toBeUndefined();
  table.greatest = "9";
  await clock.advance(999);
  expect(await horizon.next(never)).toBeUndefined();
  await clock.advance(1);
  expect(await horizon.next(never)).toBe("7");
});
