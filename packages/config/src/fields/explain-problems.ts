import type { Problem, Registry } from "@mqb/core";
import { explainMisfit } from "./explain.ts";
import { keyOfPath } from "./fit.ts";
import { createSchemas } from "./schemas.ts";
import { type Visited, walkRoute } from "./walk.ts";

/**
 * Problems of a route that was not read from a document, with the value that does not fit and what its field takes.
 * Secret values are not named.
 */
export function explainProblems(problems: readonly Problem[], route: unknown, registry: Registry): Problem[] {
  if (!problems.some(isMisfit)) return [...problems];
  const visited = new Map<string, Visited>();
  walkRoute(route, registry, createSchemas(), (one) => visited.set(keyOfPath(one.path), one));
  return problems.map((problem) => {
    const one = isMisfit(problem) ? visited.get(keyOfPath(problem.path)) : undefined;
    return { ...problem, ...(one && explainMisfit(one, { variables: [] })) };
  });
}

function isMisfit({ code }: Problem): boolean {
  return code === "MQB_CONFIG_VALUE";
}
