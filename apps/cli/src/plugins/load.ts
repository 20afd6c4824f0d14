import { type Names, packageFor } from "@mqb/config/uri";
import { createRegistry, isPlugin, type Plugin, type Registry } from "@mqb/core";
import { cliErrors } from "../errors.ts";
import type { FoundPlugin } from "./discover.ts";
import { selectPlugins } from "./select.ts";

type Kind = "endpoints" | "middlewares" | "stores" | "schemes";
const KINDS = {
  endpoints: "endpoint",
  middlewares: "middleware",
  stores: "state store",
  schemes: "URI scheme",
} as const;

/**
 * Imports the plugins that the names need and makes a registry of them. Names that are found but not loaded are still
 * known to it, so that a message can suggest them.
 */
export async function loadRegistry(found: readonly FoundPlugin[], names: Names): Promise<Registry> {
  const selected = selectPlugins(found, names);
  const loaded = await Promise.all(
    selected.map(async (plugin) => ({ found: plugin, plugin: await importPlugin(plugin) })),
  );
  // What the user listed takes a name away from whoever else brings it.
  const taken = loaded.filter((one) => one.found.origin === "listed").map((one) => one.plugin);
  const plugins = loaded.map((one) => (taken.includes(one.plugin) ? one.plugin : without(one.plugin, taken)));
  const registry = createRegistry(plugins, { packageFor });
  return { ...registry, names: (what) => [...new Set([...registry.names(what), ...offered(found, what)])].sort() };
}

async function importPlugin(found: FoundPlugin): Promise<Plugin> {
  let module: unknown;
  try {
    module = await found.import();
  } catch (error) {
    throw cliErrors.PLUGIN_LOAD({ plugin: found.name }, { cause: error });
  }
  const value = (module as { default?: unknown }).default;
  // createRegistry says what is wrong with a value that is no plugin; it needs a name to say it of.
  if (!isPlugin(value)) return { name: found.name } as Plugin;
  checkManifest(found, value);
  return value;
}

/** A manifest that promises too much would make the name unknown in the end, which is not the user's fault. */
function checkManifest(found: FoundPlugin, plugin: Plugin): void {
  for (const [kind, what] of Object.entries(KINDS) as [Kind, string][]) {
    const brought = new Set(
      Object.entries(plugin[kind] ?? {}).flatMap(([name, one]) => [
        name,
        ...((one as { aliases?: readonly string[] }).aliases ?? []),
      ]),
    );
    const missing = found.manifest?.[kind].find((name) => !brought.has(name));
    if (missing !== undefined) throw cliErrors.PLUGIN_MANIFEST({ plugin: found.name, what, name: missing });
  }
}

function without(plugin: Plugin, taken: readonly Plugin[]): Plugin {
  const kept = (kind: Kind): object => {
    const theirs = new Set(taken.flatMap((one) => Object.keys(one[kind] ?? {})));
    return Object.fromEntries(Object.entries(plugin[kind] ?? {}).filter(([name]) => !theirs.has(name)));
  };
  const reduced = {
    ...plugin,
    endpoints: kept("endpoints"),
    middlewares: kept("middlewares"),
    stores: kept("stores"),
    schemes: kept("schemes"),
    ...(taken.some((one) => one.expressions) ? { expressions: undefined } : {}),
  };
  return (taken.length === 0 ? plugin : reduced) as Plugin;
}

function offered(
  found: readonly FoundPlugin[],
  what: "endpoint" | "middleware" | "store" | "scheme",
): readonly string[] {
  return found.flatMap((plugin) => plugin.manifest?.[`${what}s`] ?? []);
}
