import {
  type Configuration,
  type ConfiguredRoute,
  checkConfiguration,
  concernsOneRoute,
  type DocumentProblem,
  namesInRoutes,
  type Redactor,
  renderProblem,
} from "@mqb/config";
import { isMap, type Registry } from "@mqb/core";
import { cliErrors } from "../errors.ts";
import { type Discovery, discoverPlugins } from "../plugins/discover.ts";
import { loadRegistry } from "../plugins/load.ts";
import type { ReadConfiguration } from "./sources.ts";

/** A checked configuration: what can start, and why the rest cannot. */
export interface PreparedRun {
  readonly registry: Registry;
  readonly routes: readonly ConfiguredRoute[];
  /** Endpoints by name, for `ref`. */
  readonly endpoints: Readonly<Record<string, unknown>>;
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
  const configuration = drain ? drained(read.configuration) : read.configuration;
  const listed = [...plugins, ...configuration.settings.plugins.map((plugin) => ({ plugin, from: read.folder }))];
  const registry = await registryFor(listed, configuration, read);
  const { routes, endpoints, problems } = checkConfiguration(configuration, registry, RUN_DEFAULTS);
  refuse(problems, read.name);
  return { registry, routes, endpoints };
}

/** A configuration that is wrong in itself says so, also when its plugins cannot be loaded. */
async function registryFor(
  listed: Discovery["listed"],
  configuration: Configuration,
  read: ReadConfiguration,
): Promise<Registry> {
  try {
    const found = discoverPlugins({ listed, folder: read.folder });
    return await loadRegistry(found, namesInRoutes(routesToLoad(configuration)));
  } catch (error) {
    refuse(configuration.problems, read.name);
    throw error;
  }
}

/** What names plugins: the enabled routes, and the endpoints that they may refer to by name. */
export function routesToLoad({ routes, publishers }: Configuration): readonly unknown[] {
  const enabled = routes.filter((route) => route.enabled).map((route) => route.config);
  return [...enabled, ...publishers.map(({ endpoint }) => ({ input: endpoint, output: endpoint }))];
}

/** Keeps what the configuration holds of secrets out of everything that is printed. */
export function learnSecrets(redactor: Redactor, configuration: Configuration): void {
  const { document, routes, publishers, secrets } = configuration;
  // The names of routes and publishers say nothing about what is in them.
  redactor.learn([...routes.map((route) => route.config), ...publishers.map(({ endpoint }) => endpoint)]);
  if (isMap(document)) redactor.learn([document["env_vars"], document["envVars"]]);
  for (const secret of secrets) redactor.add(secret);
}

function refuse(problems: readonly DocumentProblem[], source: string): void {
  const errors = problems.filter((problem) => problem.level === "error");
  if (errors.every(concernsOneRoute)) return;
  throw cliErrors.CONFIG_INVALID({ source, problems: errors.map((problem) => renderProblem(problem)) });
}

function drained(configuration: Configuration): Configuration {
  const routes = configuration.routes.map((route) => {
    return isMap(route.config) ? { ...route, config: { ...route.config, exit_on_empty: true } } : route;
  });
  return { ...configuration, routes };
}
