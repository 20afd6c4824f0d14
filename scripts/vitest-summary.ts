import { appendFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

/**
 * Ends every run with a line for each failure and the line `N passed, N failed, N skipped`. A file that fails to load, a
 * hook that fails and an error outside of any test count as one failure each. Where MQB_TEST_SUMMARY names a file, the
 * numbers and failures go there instead, one JSON line a run, for a caller that adds up several runs.
 */
export default class SummaryReporter implements Reporter {
  private readonly file = process.env["MQB_TEST_SUMMARY"];

  constructor() {
    // A test that runs tests itself has numbers of its own.
    delete process.env["MQB_TEST_SUMMARY"];
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[] = []): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const failures = unhandled.map((error) => `outside of any test: ${headline(error)}`);
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        count[test.result().state] += 1;
        if (test.result().state === "failed") failures.push(describe(test, test.result().errors ?? []));
      }
      for (const suite of [module, ...module.children.allSuites()]) {
        const errors = suite.errors();
        if (errors.length === 0) continue;
        count.failed += 1;
        failures.push(describe(suite, errors));
      }
    }
    count.failed += unhandled.length;
    const { passed, failed } = count;
    const skipped = count.skipped + count.pending;
    if (this.file) {
      appendFileSync(this.file, `${JSON.stringify({ passed, failed, skipped, failures })}\n`);
      return;
    }
    for (const failure of failures) console.log(`FAILED: ${failure}`);
    console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
}

function describe(it: TestCase | TestModule | TestSuite, errors: readonly unknown[]): string {
  const where = it.type === "module" ? it.relativeModuleId : `${it.module.relativeModuleId} > ${it.fullName}`;
  return `${where}: ${headline(errors[0])}`;
}

/** The first line of what an error says, as much as a line of a log takes. */
function headline(error: unknown): string {
  const message = typeof error === "object" && error !== null && "message" in error ? error.message : error;
  const [first = ""] = String(message).split("\n", 1);
  return first.length > 200 ? `${first.slice(0, 200)}…` : first;
}
