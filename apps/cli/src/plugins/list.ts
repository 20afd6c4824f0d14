import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { jsonDocument } from "../json-document.ts";
import { readConfiguration } from "../run/sources.ts";
import { discoverPlugins, type FoundPlugin } from "./discover.ts";

export const ORIGINS = { listed: "listed", project: "dependency", bundled: "comes with mqb" } as const;

/** `mqb plugins list`: what is found, by reading manifests only. */
export async function listPlugins(args: ParsedArgs, context: CommandContext): Promise<number> {
  const found = await findPlugins(args, context);
  const { output } = context;
  output.result(args.has("json") ? jsonDocument(found.map(describe), output.redactor) : table(found));
  return found.some((plugin) => plugin.problem) ? EXIT.failed : EXIT.ok;
}

/** The plugins that a configuration would find; none of them is imported. */
export async function findPlugins(args: ParsedArgs, context: CommandContext): Promise<readonly FoundPlugin[]> {
  const { configuration, folder } = await readConfiguration(args, context.cwd, context.environment);
  const fromFlags = args.texts("plugin").map((plugin) => ({ plugin, from: context.cwd }));
  const fromFile = configuration.settings.plugins.map((plugin) => ({ plugin, from: folder }));
  return discoverPlugins({ listed: [...fromFlags, ...fromFile], folder });
}

function describe(plugin: FoundPlugin): Record<string, unknown> {
  const { name, version, origin, location, manifest, problem } = plugin;
  return {
    name,
    version: version ?? null,
    found: ORIGINS[origin],
    location,
    endpoints: manifest?.endpoints ?? [],
    middlewares: manifest?.middlewares ?? [],
    stores: manifest?.stores ?? [],
    schemes: manifest?.schemes ?? [],
    expressions: manifest?.expressions ?? false,
    ...(problem ? { problem: problem.message } : {}),
  };
}

function table(found: readonly FoundPlugin[]): string {
  return found
    .map((plugin) => {
      const { manifest } = plugin;
      const lists = [
        ["endpoints", manifest?.endpoints],
        ["middlewares", manifest?.middlewares],
        ["stores", manifest?.stores],
        ["schemes", manifest?.schemes],
        ["problem", plugin.problem && [plugin.problem.message]],
        ["", manifest || plugin.problem ? [] : ["what it brings is known when it is loaded"]],
      ] as const;
      const lines = lists
        .filter(([, names]) => names && names.length > 0)
        .map(([what, names]) => `  ${what.padEnd(12)}${names!.join(", ")}`);
      return [
        `${plugin.name}${plugin.version ? ` ${plugin.version}` : ""}  (${ORIGINS[plugin.origin]}, ${plugin.location})`,
        ...lines,
        "",
      ].join("\n");
    })
    .join("");
}
