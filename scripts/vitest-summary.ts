import { appendFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/**
 * Ends every run with the line `N passed, N failed, N skipped`. A file that fails to load, a hook that fails and an error
 * outside of any test count as one failure each. Where MQB_TEST_SUMMARY names a file, the numbers go there instead, one JSON line a
 * run, for a caller that adds up several runs.
 */
export default class SummaryReporter implements Reporter {
  private readonly file = process.env["MQB_TEST_SUMMARY"];

  constructor() {
    // A test that runs tests itself has numbers of its own.
    delete process.env["MQB_TEST_SUMMARY"];
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[] = []): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1;
      const suites = [module, ...module.children.allSuites()];
      count.failed += suites.filter((suite) => suite.errors().length > 0).length;
    }
    const { passed, failed } = count;
    const skipped = count.skipped + count.pending;
    if (this.file) appendFileSync(this.file, `${JSON.stringify({ passed, failed, skipped })}\n`);
    else console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
}
