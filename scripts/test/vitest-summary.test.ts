import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TestModule } from "vitest/node";
import SummaryReporter from "../vitest-summary.ts";

const FAULT = { message: "a hook failed" };

/** As much of a finished test file as the reporter looks at. */
function testFile(states: readonly string[], faults: { file?: number; suites?: readonly number[] } = {}): TestModule {
  const errors = (count = 0) => ({ errors: () => new Array(count).fill(FAULT) });
  const module = { type: "module", relativeModuleId: "a.test.ts" };
  const named = { module, fullName: "it" };
  const wrong = { message: "it is wrong\nhere" };
  return {
    ...module,
    ...errors(faults.file),
    children: {
      allTests: () => states.map((state) => ({ type: "test", ...named, result: () => ({ state, errors: [wrong] }) })),
      allSuites: () => (faults.suites ?? []).map((count) => ({ type: "suite", ...named, ...errors(count) })),
    },
  } as unknown as TestModule;
}

describe("the closing line of a test run", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "mqb-summary-"));
    vi.stubEnv("MQB_TEST_SUMMARY", undefined);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const linesOf = (...run: Parameters<SummaryReporter["onTestRunEnd"]>): string[] => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    log.mockClear();
    new SummaryReporter().onTestRunEnd(...run);
    return log.mock.calls.map(([line]) => String(line).trim());
  };
  const lineOf = (...run: Parameters<SummaryReporter["onTestRunEnd"]>): string => linesOf(...run).at(-1) ?? "";

  it("adds up the tests of all files; what never ran counts as skipped", () => {
    const files = [testFile(["passed", "failed", "skipped"]), testFile(["passed", "pending"])];
    expect(lineOf(files)).toBe("2 passed, 1 failed, 2 skipped");
  });

  it("counts a file that does not load, a hook that fails and an error outside of tests", () => {
    expect(lineOf([testFile([], { file: 2 })])).toBe("0 passed, 1 failed, 0 skipped");
    expect(lineOf([testFile(["skipped"], { suites: [0, 1] })])).toBe("0 passed, 1 failed, 1 skipped");
    expect(lineOf([testFile(["passed"])], [FAULT])).toBe("1 passed, 1 failed, 0 skipped");
  });

  it("comes after a line for each failure, which says where it is and how it begins", () => {
    const files = [testFile(["passed", "failed"]), testFile([], { file: 1, suites: [1] })];
    expect(linesOf(files, [FAULT]).slice(0, -1)).toEqual([
      "FAILED: outside of any test: a hook failed",
      "FAILED: a.test.ts > it: it is wrong",
      "FAILED: a.test.ts: a hook failed",
      "FAILED: a.test.ts > it: a hook failed",
    ]);
  });

  it("goes to a file for a caller that adds up several runs", () => {
    const file = join(folder, "summary");
    for (const state of ["passed", "failed"]) {
      vi.stubEnv("MQB_TEST_SUMMARY", file);
      expect(lineOf([testFile([state])])).toBe("");
      expect(process.env["MQB_TEST_SUMMARY"]).toBeUndefined();
    }
    const lines = readFileSync(file, "utf8").trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { passed: 1, failed: 0, skipped: 0, failures: [] },
      { passed: 0, failed: 1, skipped: 0, failures: ["a.test.ts > it: it is wrong"] },
    ]);
  });
});
