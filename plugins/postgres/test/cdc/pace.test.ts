import { describe, expect, it } from "vitest";
import { paceOf } from "../../src/cdc/stream/pace.ts";

describe("a server that says nothing", () => {
  it.each([
    ["as long as it waits for others", undefined, 60_000, { tickMs: 10_000, silentMs: 60_000 }],
    ["longer, where it waits longer since it decodes for long", null, 600_000, { tickMs: 10_000, silentMs: 600_000 }],
    ["a minute, where it gives nobody up", undefined, 0, { tickMs: 10_000, silentMs: 60_000 }],
    ["for three intervals that were asked for", 2000, 60_000, { tickMs: 2000, silentMs: 6000 }],
    ["for longer intervals too, where it gives nobody up", 90_000, 0, { tickMs: 90_000, silentMs: 270_000 }],
  ])("may be silent %s", (_, interval, timeoutMs, pace) => {
    expect(paceOf(interval, timeoutMs)).toEqual(pace);
  });
});
