import { ACCEPTED, isExhausted, kindOf, type Outcome } from "@mqb/core/plugin";

/** What a route must heed first, of several errors for one message. */
const SEVERITY = { permanent: 0, retryable: 1, connection: 2, end: 3, config: 4 };

/** What became of a message by what became of it at each leg: it failed where one failed; else the first answer counts. */
export function combine(outcomes: readonly Outcome[]): Outcome {
  let failure: Outcome | undefined;
  let worst = -1;
  for (const outcome of outcomes) {
    if (outcome.type !== "failed") continue;
    const severity = SEVERITY[kindOf(outcome.error, "retryable")];
    if (severity > worst) [failure, worst] = [outcome, severity];
  }
  return failure ?? success(outcomes);
}

/** Whether a message that failed so may come again. */
export function mayComeAgain(outcome: Outcome): boolean {
  return (
    outcome.type === "failed" && (kindOf(outcome.error, "retryable") !== "permanent" || isExhausted(outcome.error))
  );
}

function success(outcomes: readonly Outcome[]): Outcome {
  const reply = outcomes.find((one) => one.type === "replied");
  if (reply) return reply;
  if (outcomes.some((one) => one.type === "accepted")) return ACCEPTED;
  return outcomes.find((one) => one.type === "dead_lettered") ?? outcomes[0]!;
}
