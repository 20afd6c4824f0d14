import { type ConfigSchema, type JsonSchema, jsonSchemaOf } from "@mqb/core/plugin";

/** JSON Schemas of definitions; each is made once, since that takes longer than a check. One per check. */
export interface Schemas {
  of(schema: ConfigSchema): JsonSchema;
}

export function createSchemas(): Schemas {
  const made = new Map<ConfigSchema, JsonSchema>();
  return {
    of(schema) {
      let json = made.get(schema);
      if (!json) {
        json = jsonSchemaOf(schema) ?? {};
        made.set(schema, json);
      }
      return json;
    },
  };
}
