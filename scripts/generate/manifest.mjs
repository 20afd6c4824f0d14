/**
 * What a plugin's package.json says about it, so that it can be listed and checked without importing it.
 * @param {any} manifest the parsed package.json
 * @param {import("../../packages/core/src/plugin.ts").PluginDefinition} plugin
 */
export function pluginManifest(manifest, plugin) {
  const files = [...manifest.files];
  if (!files.includes("schema.json")) files.splice(files.lastIndexOf("src") + 1, 0, "schema.json");
  const { "./package.json": own, ...entries } = manifest.exports;
  const { name, version, description, license, ...rest } = manifest;
  const keywords = [...new Set([...(manifest.keywords ?? []), "mqb-plugin"])];
  const shared = namesOf(Object.fromEntries(Object.entries(plugin.endpoints ?? {}).filter(([, { shared }]) => shared)));
  const mqb = {
    apiVersion: plugin.apiVersion,
    endpoints: namesOf(plugin.endpoints),
    middlewares: namesOf(plugin.middlewares),
    stores: Object.keys(plugin.stores ?? {}),
    schemes: Object.keys(plugin.schemes ?? {}),
    ...(shared.length > 0 ? { shared } : {}),
    ...(plugin.expressions ? { expressions: true } : {}),
    schema: "./schema.json",
  };
  const exports = { ...entries, "./schema.json": "./schema.json", "./package.json": own };
  return { name, version, description, keywords, license, ...rest, exports, files, mqb };
}

/**
 * Every name under which a configuration may ask for one of them: a host looks in this list to know whom to import.
 * @param {Readonly<Record<string, { readonly aliases?: readonly string[] }>>} [definitions]
 */
function namesOf(definitions = {}) {
  return Object.entries(definitions).flatMap(([name, { aliases = [] }]) => [name, ...aliases]);
}
