import {
  type CheckedConfiguration,
  type ConfiguredRoute,
  checkConfiguration,
  concernsOneRoute,
  type DocumentProblem,
  locate,
  namesInRoutes,
  secretsOfPlans,
} from "@mqb/config";
import { isMqbError, type Registry } from "@mqb/core";
import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { type Discovery, discoverPlugins, type FoundPlugin } from "../plugins/discover.ts";
import { loadRegistry } from "../plugins/load.ts";
import { learnSecrets, RUN_DEFAULTS, routesToLoad } from "../run/prepare.ts";
import { type ReadConfiguration, readConfiguration } from "../run/sources.ts";

/** A configuration after every check that needs no connection. */
export interface CheckedRun {
  readonly read: ReadConfiguration;
  readonly registry: Registry;
  readonly routes: readonly ConfiguredRoute[];
  /** What the check of the configuration gave. */
  readonly checked: CheckedConfiguration;
  /** Everything that is wrong, in document order. */
  readonly problems: readonly DocumentProblem[];
}

type Listed = Discovery["listed"][number];

/**
 * Reads the configuration that the flags ask for and checks all of it; connects nowhere. Faults are problems, also a
 * plugin that is listed and not there. Throws a `config` error when the file cannot be read or a plugin cannot be used.
 */
export async function loadChecked(args: ParsedArgs, context: CommandContext): Promise<CheckedRun> {
  const read = await readConfiguration(args, context.cwd, context.environment);
  const { configuration } = read;
  const { redactor } = context.output;
  learnSecrets(redactor, configuration);
  const { found, missing } = findPlugins(args, context, read);
  const registry = await loadRegistry(found, namesInRoutes(routesToLoad(configuration)));
  const checked = checkConfiguration(configuration, registry, RUN_DEFAULTS);
  const { routes, problems } = checked;
  redactor.addLater(() => secretsOfPlans(routes.flatMap((route) => route.plan ?? [])));
  return { read, registry, routes, checked, problems: [...missing, ...problems] };
}

/** Whether the only thing wrong is that a package is not installed. */
export function isMissingPlugin(problem: DocumentProblem): boolean {
  if (problem.code === cliErrors.PLUGIN_MISSING.code) return true;
  // A name that nobody brings has another hint: the names that there are.
  return concernsOneRoute(problem) && problem.hint?.startsWith("install ") === true;
}

function findPlugins(
  args: ParsedArgs,
  { cwd }: CommandContext,
  { configuration, folder }: ReadConfiguration,
): { readonly found: readonly FoundPlugin[]; readonly missing: readonly DocumentProblem[] } {
  const missing: DocumentProblem[] = [];
  const listed: Listed[] = args.texts("plugin").map((plugin) => ({ plugin, from: cwd }));
  for (const [index, plugin] of configuration.settings.plugins.entries()) {
    const one = { plugin, from: folder };
    const fault = faultOf(one);
    if (fault === undefined) listed.push(one);
    else {
      const path = ["plugins", index];
      missing.push({ ...fault, level: "error", path, at: locate(configuration.place, path, "value") });
    }
  }
  return { found: discoverPlugins({ listed, folder }), missing };
}

/** Why a listed plugin cannot be found. */
function faultOf(one: Listed): Pick<DocumentProblem, "code" | "message" | "hint"> | undefined {
  try {
    discoverPlugins({ listed: [one], folder: one.from });
    return undefined;
  } catch (error) {
    if (!isMqbError(error)) throw error;
    const { code, message, hint } = error;
    return { code, message, ...(hint === undefined ? {} : { hint }) };
  }
}
