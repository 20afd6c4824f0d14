import type { Registered, Registry } from "@mqb/core";
import {
  type CheckContext,
  type ConfigSchema,
  type EndpointDefinition,
  isMqbError,
  type JsonSchema,
  jsonSchemaOf,
  type MiddlewareDefinition,
  type Side,
} from "@mqb/core/plugin";
import { configErrors } from "../errors.ts";
import { orVariable, ref } from "./node.ts";

export type Kind = "endpoint" | "middleware";
type Definition = EndpointDefinition | MiddlewareDefinition;

const SIDES: readonly Side[] = ["input", "output"];

/** What each endpoint and middleware takes, under the name that `definitionName` gives. */
export function definitionSchemas(registry: Registry): Readonly<Record<string, JsonSchema>> {
  const schemas: Record<string, JsonSchema> = {};
  for (const kind of ["endpoint", "middleware"] as const) {
    for (const side of SIDES) {
      for (const { name, definition } of offered(registry, kind, side)) {
        const key = definitionName(kind, name, definition.schema, side);
        if (!Object.hasOwn(schemas, key)) schemas[key] = definitionSchema(key, definition, side);
      }
    }
  }
  return schemas;
}

/** Those that a side offers, in alphabetical order. */
export function offered(registry: Registry, kind: Kind, side: Side): readonly Registered<Definition>[] {
  return registry
    .names(kind)
    .map((name): Registered<Definition> | undefined => registry[kind](name))
    .filter((one) => one !== undefined)
    .filter((one) => one.definition[side] !== undefined);
}

/** Both sides share a schema, unless it holds an endpoint of its owner's side. */
export function definitionName(kind: Kind, name: string, schema: ConfigSchema, side: Side): string {
  const isSided = JSON.stringify(jsonSchemaOf(schema) ?? {}).includes('"x-mqb-endpoint":"same"');
  return `${kind}.${name}${isSided ? `.${side}` : ""}`;
}

/** Whether it may be written without a configuration. */
export function needsNothing({ schema }: Definition): boolean {
  const result = schema["~standard"].validate({});
  return !(result instanceof Promise) && !result.issues;
}

function definitionSchema(key: string, definition: Definition, side: Side): JsonSchema {
  const root = jsonSchemaOf(definition.schema);
  // A schema of a library that has no JSON Schema takes anything, as far as an editor knows.
  if (!root) return { description: definition.description };
  const { $schema: _, ...schema } = embedded(root, `#/$defs/${key}`, side);
  const size = "open" in (definition.output ?? {}) ? batchSizeOf(definition as EndpointDefinition, root) : undefined;
  return {
    ...schema,
    description: definition.description,
    ...(size === undefined ? {} : { "x-mqb-default-batch-size": size }),
  };
}

/** A schema as a part of a larger one: its references point to the new place, nested endpoints are those of the document. */
function embedded(schema: JsonSchema, base: string, side: Side): JsonSchema {
  const nested = schema["x-mqb-endpoint"];
  if (typeof nested === "string") {
    const { description, examples } = schema;
    const target = ref(`${nested === "same" ? side : nested}Endpoint`);
    return { ...(description === undefined ? {} : { description }), ...(examples ? { examples } : {}), ...target };
  }
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "$ref" && typeof value === "string") result[keyword] = value.replace(/^#/, base);
    else if (keyword === "secret") result["x-mqb-secret"] = value;
    else result[keyword] = embeddedValue(keyword, value, base, side);
  }
  return orVariable(result);
}

const IN_MAPS = ["properties", "patternProperties", "$defs", "dependentSchemas"];
const IN_LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLE = ["items", "additionalProperties", "propertyNames", "not", "contains"];

function embeddedValue(keyword: string, value: unknown, base: string, side: Side): unknown {
  const inner = (one: unknown): unknown => (isSchema(one) ? embedded(one, base, side) : one);
  if (IN_MAPS.includes(keyword) && isSchema(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]));
  }
  if (IN_LISTS.includes(keyword) && Array.isArray(value)) return value.map(inner);
  // A name is never a variable.
  return SINGLE.includes(keyword) && keyword !== "propertyNames" ? inner(value) : value;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The batch size that a sink asks for in its plainest configuration. */
function batchSizeOf(definition: EndpointDefinition, root: JsonSchema): number | undefined {
  const required = (root["required"] ?? []) as readonly string[];
  const plainest = Object.fromEntries(
    required.map((name) => [name, (root.properties?.[name]?.["examples"] as readonly unknown[] | undefined)?.[0]]),
  );
  const result = definition.schema["~standard"].validate(plainest);
  if (definition.children || result instanceof Promise || result.issues) return undefined;
  const context: CheckContext = {
    side: "output",
    route: "route",
    draining: false,
    allowFaultInjection: false,
    middlewares: [],
    children: [],
    expressions() {
      throw configErrors.SIZE_BY_EXPRESSION({});
    },
    service: () => undefined,
  };
  try {
    return definition.output!.capabilities(result.value, context).defaultBatchSize;
  } catch (error) {
    if (isMqbError(error)) return undefined;
    throw error;
  }
}
