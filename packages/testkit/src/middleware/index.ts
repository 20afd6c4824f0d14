import type { Runner } from "../runner.ts";
import { registerSuite } from "../suite.ts";
import { inputLab, outputLab } from "./lab.ts";
import { inRoute, type RouteScenario } from "./scenarios/in-route.ts";
import { accountingBalances } from "./scenarios/input-accounting.ts";
import { inputBatches } from "./scenarios/input-batches.ts";
import { inputClose } from "./scenarios/input-close.ts";
import { inputDispositions } from "./scenarios/input-dispositions.ts";
import { inputEmptied } from "./scenarios/input-emptied.ts";
import { inputErrors } from "./scenarios/input-errors.ts";
import { inputSignals } from "./scenarios/input-signals.ts";
import { outputBatches } from "./scenarios/output-batches.ts";
import { outputClose } from "./scenarios/output-close.ts";
import { outputConcurrency } from "./scenarios/output-concurrency.ts";
import { outputErrors } from "./scenarios/output-errors.ts";
import { outputOutcomes } from "./scenarios/output-outcomes.ts";
import { outputSignals } from "./scenarios/output-signals.ts";
import { inputWork, outputWork } from "./scenarios/work-per-batch.ts";
import { wrongSide } from "./scenarios/wrong-side.ts";
import type { InputScenario, MiddlewareSubject, MiddlewareUnderTest, OutputScenario } from "./types.ts";

export const inputScenarios: readonly InputScenario[] = [
  ...inputBatches,
  ...inputDispositions,
  ...inputEmptied,
  ...inputErrors,
  ...inputSignals,
  ...inputClose,
  ...inputWork,
  accountingBalances,
];

export const outputScenarios: readonly OutputScenario[] = [
  ...outputBatches,
  ...outputOutcomes,
  ...outputErrors,
  ...outputSignals,
  ...outputConcurrency,
  ...outputClose,
  ...outputWork,
];

export const routeScenarios: readonly RouteScenario[] = inRoute;

/**
 * Registers the conformance suite of middlewares, for each side that the middleware offers. A side that it does not
 * offer must be refused by a route.
 */
export function testMiddleware(runner: Runner, tested: MiddlewareUnderTest): void {
  const definition = tested.plugin.middlewares?.[tested.middleware];
  if (!definition) throw new TypeError(`${tested.plugin.name} has no middleware "${tested.middleware}"`);
  const subject: MiddlewareSubject = { definition, tested };
  const common = { subject, timeoutMs: tested.timeoutMs ?? 20_000, found: async () => subject };
  if (definition.input) {
    const title = `middleware ${tested.middleware} on an input`;
    registerSuite(runner, { ...common, title, scenarios: inputScenarios, lab: () => inputLab(subject) });
  }
  if (definition.output) {
    const title = `middleware ${tested.middleware} on an output`;
    registerSuite(runner, { ...common, title, scenarios: outputScenarios, lab: () => outputLab(subject) });
  }
  registerSuite(runner, {
    ...common,
    title: `middleware ${tested.middleware} in a route`,
    scenarios: [...wrongSide, ...routeScenarios],
    lab: async () => ({ subject, [Symbol.asyncDispose]: async () => {} }),
  });
}
