import {
  type Configuration,
  type ConfiguredRoute,
  checkConfiguration,
  concernsOneRoute,
  type DocumentProblem,
  namesInRoutes,
  renderProblem,
} from "@mqb/config";
import type { Registry } from "@mqb/core";
import { cliErrors } from "../errors.ts";
import { type Discovery, discoverPlugins } from "../plugins/discover.ts";
import { loadRegistry } from "../plugins/load.ts";
import type { ReadConfiguration } from "./sources.ts";

/** A checked configuration: what can start, and why the rest cannot. */
export interface PreparedRun {
  readonly registry: Registry;
  readonly routes: readonly ConfiguredRoute[];
}

/** Those of every route; more workers, which may change the order of messages, are a choice of who writes the route. */
export const RUN_DEFAULTS = { concurrency: 1, batch_size: 512 };

/**
 * Checks a whole configuration before anything of it is opened. Throws a `config` error with every fault. What only
 * keeps a single route from starting (it names something that is not installed) is left to that route.
 */
export async function prepareRun(
  read: ReadConfiguration,
  plugins: Discovery["listed"],
  drain: boolean,
): Promise<PreparedRun> {
  refuse(read.configuration.problems, read.name);
  const configuration = drain ? drained(read.configuration) : read.configuration;
  const enabled = configuration.routes.filter((route) => route.enabled).map((route) => route.config);
  const listed = [...plugins, ...configuration.settings.plugins.map((plugin) => ({ plugin, from: read.folder }))];
  const found = discoverPlugins({ listed, folder: read.folder });
  const registry = await loadRegistry(found, namesInRoutes(enabled));
  const { routes, problems } = checkConfiguration(configuration, registry, RUN_DEFAULTS);
  refuse(problems, read.name);
  return { registry, routes };
}

function refuse(problems: readonly DocumentProblem[], source: string): void {
  const errors = problems.filter((problem) => problem.level === "error");
  if (errors.every(concernsOneRoute)) return;
  throw cliErrors.CONFIG_INVALID({ source, problems: errors.map((problem) => renderProblem(problem)) });
}

function drained(configuration: Configuration): Configuration {
  const routes = configuration.routes.map((route) => {
    const isMap = typeof route.config === "object" && route.config !== null && !Array.isArray(route.config);
    return isMap ? { ...route, config: { ...route.config, exit_on_empty: true } } : route;
  });
  return { ...configuration, routes };
}
