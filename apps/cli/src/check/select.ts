import { type ConfiguredRoute, type DocumentProblem, renderProblem } from "@mqb/config";
import { suggest } from "@mqb/core";
import { cliErrors } from "../errors.ts";
import type { CheckedRun } from "./load.ts";

/**
 * The enabled routes of these names, or all of them. Throws a `config` error for a name that no enabled route has, and
 * for a fault of the document that is no route's own.
 */
export function selectRoutes({ read, routes, problems }: CheckedRun, names: readonly string[]): ConfiguredRoute[] {
  const keyOf = ({ code, path }: DocumentProblem): string => JSON.stringify([code, path]);
  const ofRoutes = new Set(routes.flatMap((route) => route.problems.map(keyOf)));
  const ofDocument = problems.filter((problem) => problem.level === "error" && !ofRoutes.has(keyOf(problem)));
  if (ofDocument.length > 0) {
    const shown = ofDocument.map((problem) => renderProblem(problem));
    throw cliErrors.CONFIG_INVALID({ source: read.name, problems: shown });
  }
  return names.length === 0 ? [...routes] : names.map((name) => routeOf(name, { read, routes }));
}

function routeOf(name: string, { read, routes }: Pick<CheckedRun, "read" | "routes">): ConfiguredRoute {
  const found = routes.find((route) => route.name === name);
  if (found) return found;
  const disabled = read.configuration.routes.some((route) => route.name === name);
  const hint = disabled
    ? "it is not enabled"
    : suggest(
        name,
        routes.map((route) => route.name),
      );
  throw cliErrors.NO_ROUTE({ route: name, source: read.name, hint });
}
