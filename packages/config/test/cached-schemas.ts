import { type ConfigSchema, definePlugin, type Plugin } from "@mqb/core/plugin";

/** The plugin with JSON Schemas that are made once: in tests that read thousands of URIs they would take most of the time. */
export function withCachedSchemas(plugin: Plugin): Plugin {
  const cached = <D extends { readonly schema: ConfigSchema }>(definitions: Readonly<Record<string, D>> = {}) =>
    Object.fromEntries(
      Object.entries(definitions).map(([name, definition]) => [
        name,
        { ...definition, schema: cachedSchema(definition.schema) },
      ]),
    );
  return definePlugin({
    ...plugin,
    endpoints: cached(plugin.endpoints),
    middlewares: cached(plugin.middlewares),
  });
}

function cachedSchema(schema: ConfigSchema): ConfigSchema {
  const standard = schema["~standard"];
  let made: Record<string, unknown> | undefined;
  return {
    "~standard": {
      version: 1,
      vendor: standard.vendor,
      validate: (value) => standard.validate(value),
      jsonSchema: { input: (options) => (made ??= standard.jsonSchema!.input(options)) },
    },
  };
}
