/**
 * The schema.json of a plugin: its endpoints, middlewares, stores and schemes with the JSON Schema of what a user may
 * write. Read by completion, `mqb plugins` and configuration checks, which import no plugin code for it.
 * @param {string} packageName
 * @param {import("../../packages/core/src/plugin.ts").PluginDefinition} plugin
 */
export function schemaFile(packageName, plugin) {
  return {
    package: packageName,
    apiVersion: plugin.apiVersion,
    endpoints: mapValues(plugin.endpoints, (endpoint) => described(packageName, endpoint)),
    middlewares: mapValues(plugin.middlewares, (middleware) => described(packageName, middleware)),
    stores: mapValues(plugin.stores, ({ description, durable }) => ({ description, durable })),
    schemes: mapValues(plugin.schemes, ({ endpoint }) => ({ endpoint })),
    ...(plugin.expressions ? { expressions: true } : {}),
  };
}

/**
 * @param {string} packageName
 * @param {import("../../packages/core/src/plugin.ts").EndpointDefinition | import("../../packages/core/src/plugin.ts").MiddlewareDefinition} definition
 */
function described(packageName, definition) {
  const schema = definition.schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  if (!schema)
    throw new Error(`${packageName}: a schema that does not implement Standard JSON Schema has no reference`);
  return {
    description: definition.description,
    aliases: definition.aliases ?? [],
    input: definition.input !== undefined,
    output: definition.output !== undefined,
    schema,
  };
}

/**
 * @template T, R
 * @param {Readonly<Record<string, T>> | undefined} record
 * @param {(value: T) => R} map
 * @returns {Record<string, R>}
 */
function mapValues(record, map) {
  return Object.fromEntries(Object.entries(record ?? {}).map(([key, value]) => [key, map(value)]));
}
