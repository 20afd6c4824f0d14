import type { Runner } from "./runner.ts";

/** One behaviour that a suite asks for. `S` is what is tested and what it declares, `L` the set-up of one test. */
export interface Scenario<S, L> {
  readonly name: string;
  /** Why this subject need not have the behaviour, by what it declares; undefined = the scenario runs. */
  readonly leftOut?: (subject: S) => string | undefined;
  readonly run: (lab: L) => Promise<void>;
}

export interface Suite<S, L extends AsyncDisposable> {
  readonly title: string;
  readonly subject: S;
  readonly scenarios: readonly Scenario<S, L>[];
  readonly timeoutMs: number;
  /** Called once per scenario; disposed of after it, also when it failed. */
  readonly lab: () => Promise<L>;
  /** The subject as a test finds it: a left-out scenario checks that the reason holds for it too. */
  readonly found: () => Promise<S>;
}

const GROUPED_FROM = 9;

/**
 * Registers the scenarios with the runner. One that is left out stays visible as a test named `left out: …`, which
 * fails when what the tests are run against does not give the reason that left it out. Many with one reason, as when a
 * side is not tested at all, are one such test.
 */
export function registerSuite<S, L extends AsyncDisposable>(runner: Runner, suite: Suite<S, L>): void {
  runner.describe(suite.title, () => {
    const leftOut = new Map<string, Scenario<S, L>[]>();
    for (const scenario of suite.scenarios) {
      const reason = scenario.leftOut?.(suite.subject);
      if (reason === undefined) runner.it(scenario.name, { timeout: suite.timeoutMs }, () => runOne(scenario, suite));
      else leftOut.set(reason, [...(leftOut.get(reason) ?? []), scenario]);
    }
    for (const [reason, scenarios] of leftOut) {
      const groups = scenarios.length < GROUPED_FROM ? scenarios.map((one) => [one]) : [scenarios];
      for (const group of groups) {
        const what = group.length === 1 ? group[0]!.name : `${group.length} scenarios`;
        const name = `left out: ${what} (${reason})`;
        runner.it(name, { timeout: suite.timeoutMs }, () => confirmLeftOut(group, suite, reason));
      }
    }
  });
}

async function confirmLeftOut<S, L extends AsyncDisposable>(
  scenarios: readonly Scenario<S, L>[],
  suite: Suite<S, L>,
  reason: string,
): Promise<void> {
  const found = await suite.found();
  for (const scenario of scenarios) {
    if (scenario.leftOut?.(found) !== undefined) continue;
    throw new Error(`"${scenario.name}" was left out because ${reason}, but a fresh fixture declares otherwise`);
  }
}

async function runOne<S, L extends AsyncDisposable>(scenario: Scenario<S, L>, suite: Suite<S, L>): Promise<void> {
  const lab = await suite.lab();
  try {
    await scenario.run(lab);
  } catch (error) {
    // What the scenario found says more than what fails in its wake.
    await Promise.allSettled([lab[Symbol.asyncDispose]()]);
    throw error;
  }
  await lab[Symbol.asyncDispose]();
}
