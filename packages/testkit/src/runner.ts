/**
 * The functions of a test runner that the suites use. Those of vitest and of `node:test` both fit, so a suite is run as
 * `testConnector({ describe, it }, …)` under either. The kit itself asserts with `node:assert` only.
 */
export interface Runner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, options: { readonly timeout: number }, body: () => Promise<void>) => unknown;
}
