import { formatPath, type Problem } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import { readConsumers } from "./consumers.ts";
import type { Path, Place } from "./place.ts";
import { type NamedEndpoint, readPublishers } from "./publishers.ts";
import { readRoutes, reportUnknownKeys, type WrittenRoute } from "./routes.ts";
import { type AppSettings, readSettings } from "./settings.ts";

export interface AppDocument {
  readonly settings: AppSettings;
  readonly routes: readonly WrittenRoute[];
  readonly publishers: readonly NamedEndpoint[];
  readonly problems: readonly Problem[];
}

/**
 * Takes a whole document apart: the application's keys, and routes in any of their spellings: under `routes`, as maps at
 * the top level, as one route that is the top level, or as `consumers`. Pure; every fault is a problem with its path.
 */
export function readApp(document: unknown, place?: Place): AppDocument {
  const problems: Problem[] = [];
  const isEmpty = document === null || document === undefined;
  if (!isEmpty && !isMap(document)) {
    problems.push({
      level: "error",
      code: "MQB_CONFIG_TYPE",
      path: [],
      message: "a configuration is a map, e.g. with `routes:`",
    });
  }
  const { root, at } = isMap(document) ? unwrap(document, problems) : { root: {}, at: [] };
  const settings = readSettings(root, at, problems);
  const publishers = readPublishers(root["publishers"], [...at, "publishers"], problems);
  const routes = readRoutes(root, at, problems, place);
  for (const route of readConsumers(root["consumers"], [...at, "consumers"], publishers, problems, place)) {
    const other = routes.find((one) => one.name === route.name);
    if (other) problems.push(duplicateRoute(route, other.path));
    else routes.push(route);
  }
  reportUnknownKeys(root, at, problems, routes);
  return { settings, routes, publishers, problems };
}

function duplicateRoute({ name, path }: WrittenRoute, first: Path): Problem {
  const message = `there are two routes called "${name}", the first at ${formatPath(first) || "the top level"}`;
  return { level: "error", code: "MQB_CONFIG_DUPLICATE_ROUTE", path, message, hint: "rename one of them" };
}

/** An exported document has everything under one `config` key. */
function unwrap(document: Record<string, unknown>, problems: Problem[]): { root: Record<string, unknown>; at: Path } {
  if (!Object.hasOwn(document, "config")) return { root: document, at: [] };
  const inner = document["config"];
  if (Object.keys(document).length === 1 && isMap(inner)) return { root: inner, at: ["config"] };
  problems.push({
    level: "error",
    code: "MQB_CONFIG_AMBIGUOUS",
    path: ["config"],
    message: `"config" at the top level is ambiguous`,
    hint: `write it alone, around the whole document; no route can be called "config"`,
  });
  const { config: _, ...root } = document;
  return { root, at: [] };
}
