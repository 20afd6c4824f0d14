import type { Names } from "@mqb/config/uri";
import { coreErrors } from "@mqb/core";
import type { FoundPlugin } from "./discover.ts";

/**
 * The plugins that bring what a configuration names, and all that the user listed. Throws a `config` error when two
 * plugins claim a name that is used, unless the user listed one of them, and when the one that is needed cannot be used.
 */
export function selectPlugins(found: readonly FoundPlugin[], names: Names): readonly FoundPlugin[] {
  const selected = new Set(found.filter((plugin) => plugin.origin === "listed"));
  const take = (what: string, name: string, brings: (plugin: FoundPlugin) => boolean): void => {
    // What several may bring is one thing, and the rest of each is needed: `sqlx` and the drivers of databases.
    const sharing = found.filter(brings);
    if (sharing.length > 1 && sharing.every((plugin) => plugin.manifest?.shared.includes(name))) {
      for (const plugin of sharing) selected.add(plugin);
      return;
    }
    const [first, second] = claimants(found, brings);
    if (!first) return;
    if (second) throw coreErrors.DUPLICATE_NAME({ what, name, first: first.name, second: second.name });
    selected.add(first);
  };
  for (const name of names.endpoints) take("endpoint", name, (plugin) => brings(plugin, "endpoints", name));
  for (const name of names.middlewares) take("middleware", name, (plugin) => brings(plugin, "middlewares", name));
  for (const name of names.schemes) take("URI scheme", name, (plugin) => brings(plugin, "schemes", name));
  for (const name of names.stores) take("state store", name, (plugin) => brings(plugin, "stores", name));
  if (names.expressions) take("language", "expressions", (plugin) => plugin.manifest?.expressions === true);
  for (const plugin of selected) if (plugin.problem) throw plugin.problem;
  return found.filter((plugin) => selected.has(plugin));
}

function brings(plugin: FoundPlugin, list: "endpoints" | "middlewares" | "schemes" | "stores", name: string): boolean {
  return plugin.manifest?.[list].includes(name) ?? plugin.claims.includes(name);
}

/** Who brings it: what the user listed goes before everything else. */
function claimants(found: readonly FoundPlugin[], brings: (plugin: FoundPlugin) => boolean): FoundPlugin[] {
  const all = found.filter(brings);
  const listed = all.filter((plugin) => plugin.origin === "listed");
  return listed.length > 0 ? listed : all;
}
