import type { Registered, Registry } from "@mqb/core";
import { type ConfigSchema, type JsonSchema, jsonSchemaOf } from "@mqb/core/plugin";
import { type Field, fieldOf } from "./field.ts";

/** JSON Schemas of definitions; each is made once, since that takes longer than a check. One per check. */
export interface Schemas {
  of(schema: ConfigSchema): JsonSchema;
  /** What a whole configuration takes. */
  field(schema: ConfigSchema): Field;
}

export function createSchemas(): Schemas {
  const made = new Map<ConfigSchema, JsonSchema>();
  const fields = new Map<ConfigSchema, Field>();
  const of = (schema: ConfigSchema): JsonSchema => once(made, schema, () => jsonSchemaOf(schema) ?? {});
  return { of, field: (schema) => once(fields, schema, () => fieldOf(of(schema), of(schema))) };
}

/**
 * The same registry, whose definitions make their JSON Schema once however often they are asked. A check does so by itself; a
 * host that checks again and again keeps one.
 */
export function withSchemasOnce(registry: Registry): Registry {
  const endpoints = new Map<string, ReturnType<Registry["endpoint"]>>();
  const middlewares = new Map<string, ReturnType<Registry["middleware"]>>();
  // What is not found is not remembered: documents may hold any name.
  return {
    ...registry,
    endpoint: (name) => endpoints.get(name) ?? keep(endpoints, name, withSchemaOnce(registry.endpoint(name))),
    middleware: (name) => middlewares.get(name) ?? keep(middlewares, name, withSchemaOnce(registry.middleware(name))),
  };
}

function withSchemaOnce<D extends { readonly schema: ConfigSchema }>(
  found: Registered<D> | undefined,
): Registered<D> | undefined {
  if (!found) return undefined;
  const standard = found.definition.schema["~standard"];
  const { jsonSchema } = standard;
  if (!jsonSchema) return found;
  let made: Record<string, unknown> | undefined;
  const input: typeof jsonSchema.input = (options) => {
    made ??= jsonSchema.input(options);
    return made;
  };
  const schema: ConfigSchema = { "~standard": { ...standard, jsonSchema: { input } } };
  return { ...found, definition: { ...found.definition, schema } };
}

function keep<V>(map: Map<string, V>, name: string, value: V | undefined): V | undefined {
  if (value !== undefined) map.set(name, value);
  return value;
}

function once<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  if (map.has(key)) return map.get(key)!;
  const value = make();
  map.set(key, value);
  return value;
}
