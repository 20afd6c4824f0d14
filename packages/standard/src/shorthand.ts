import type { ConfigSchema, JsonSchema } from "@mqb/core/plugin";

/**
 * A configuration that may also be written as one bare text: `filter: "a > 1"` for `filter: { expression: "a > 1" }`.
 * Errors are those of the object's schema, so that they name the field.
 */
export function withShorthand<C>(schema: ConfigSchema<C>, key: string, description: string): ConfigSchema<C> {
  const { validate, jsonSchema, vendor } = schema["~standard"];
  return {
    "~standard": {
      version: 1,
      vendor,
      validate: (value) => validate(typeof value === "string" ? { [key]: value } : value),
      ...(jsonSchema && {
        jsonSchema: {
          input: (options) => {
            const { $schema, ...object } = jsonSchema.input(options);
            const text = { ...marksOf((object as JsonSchema).properties?.[key]), type: "string", description };
            return { ...($schema === undefined ? {} : { $schema }), ...marksOf(object), anyOf: [text, object] };
          },
        },
      }),
    },
  };
}

/** What is said of the field holds for the bare text too, and what is said of the object for both. */
function marksOf(schema: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(schema ?? {}).filter(([name]) => name.startsWith("x-mqb-")));
}
