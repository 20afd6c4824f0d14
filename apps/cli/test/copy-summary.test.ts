import { describe, expect, it } from "vitest";
import { countsOf, grouped, progressLine, rowsPhrase, summaryLine } from "../src/copy/summary.ts";

const counts = (read: number, delivered: number, deadLettered = 0) => ({ read, delivered, deadLettered, dropped: 0 });

describe("the line that a copy ends with", () => {
  it.each([
    [summaryLine("copied", counts(1000, 1000), 65), "copied 1_000 rows in 65ms (15_385 rows/s)"],
    [
      summaryLine("copied", counts(1_000_000, 333_495), 1050),
      "copied 333_495 of 1_000_000 rows in 1.05s (952_381 rows/s)",
    ],
    [summaryLine("copied", counts(0, 0), 12.9), "copied 0 rows in 12ms (0 rows/s)"],
    [summaryLine("copied", counts(1, 0, 1), 11), "copied 0 rows, dead-lettered 1 in 11ms (91 rows/s)"],
    [summaryLine("copied", counts(5, 2, 1), 1000), "copied 2 of 5 rows, dead-lettered 1 in 1.00s (5 rows/s)"],
    [summaryLine("stopped after copying", counts(7, 7), 999.9), "stopped after copying 7 rows in 999ms (7 rows/s)"],
    [rowsPhrase(counts(1, 0)), "0 of 1 rows"],
    [rowsPhrase(counts(1, 1)), "1 row"],
    [rowsPhrase(counts(2, 1, 1)), "1 row, dead-lettered 1"],
    [progressLine(counts(3000, 2500), 2000), "2_500 rows (1_500 rows/s)"],
    [progressLine(counts(9, 9), 2000, { position: 25, total: 100 }), "9 rows (5 rows/s), 25%, 6s left"],
    [progressLine(counts(9, 9), 60_000, { position: 50, total: 150 }), "9 rows (0 rows/s), 33%, 2m00s left"],
    [progressLine(counts(9, 9), 60_000, { position: 1, total: 100 }), "9 rows (0 rows/s), 1%, 1h39m left"],
    [progressLine(counts(1, 1), 1000, { position: 100, total: 100 }), "1 row (1 rows/s), 100%"],
    [progressLine(counts(0, 0), 1000, { position: 0, total: 100 }), "0 rows (0 rows/s), 0%"],
  ])("%s", (line, expected) => {
    expect(line).toBe(expected);
  });

  it("groups digits with _", () => {
    expect([0, 999, 1000, 12_345_678].map(grouped)).toEqual(["0", "999", "1_000", "12_345_678"]);
  });

  it("never divides by no time at all", () => {
    expect(summaryLine("copied", counts(5, 5), 0)).toBe("copied 5 rows in 0ms (5_000 rows/s)");
  });
});

describe("what is counted", () => {
  it("counts a message once that was nacked and came again, and a reply as delivered", () => {
    const accounting = {
      received: 13,
      delivered: 8,
      replied: 1,
      filtered: 1,
      deduplicated: 0,
      deadLettered: 0,
      dropped: 0,
      nacked: 3,
      inFlight: 0,
    };
    expect(countsOf(accounting)).toEqual({ read: 10, delivered: 9, deadLettered: 0, dropped: 0 });
  });
});
