import type { Problem } from "@mqb/core";
import { problem } from "./lint.ts";
import { factOf, type Subject } from "./subject.ts";

/** `x-mqb-one-worker`: what goes wrong when batches are processed side by side. */
export function oneWorker({ parts, plan }: Subject): Problem[] {
  const { concurrency } = plan.options;
  if (concurrency === 1) return [];
  return parts.flatMap((part) => {
    const reason = factOf<string>(part, "one-worker");
    if (reason === undefined) return [];
    const message = `"${part.name}" in a route with concurrency ${concurrency}: ${reason}`;
    return [problem("warning", "MQB_LINT_CONCURRENCY", part.path, message, "set concurrency: 1 where order matters")];
  });
}
