import type { ResolvedEndpoint, RoutePlan } from "@mqb/core";
import { type ConfigSchema, type JsonSchema, jsonSchemaOf } from "@mqb/core/plugin";
import { alternatives, isMarked } from "../json-schema.ts";

/** Every text in a checked route that a schema marks as a secret, its middlewares and nested endpoints included. */
export function secretsOfPlan(plan: RoutePlan): string[] {
  return secretsOfPlans([plan]);
}

/** Those of several routes, each once. To say a schema as JSON Schema takes longer than to walk through it: it is done once. */
export function secretsOfPlans(plans: readonly RoutePlan[]): string[] {
  const found = new Set<string>();
  const schemas = new Map<ConfigSchema, JsonSchema | undefined>();
  const visit = (endpoint: ResolvedEndpoint): void => {
    for (const { definition, config } of [endpoint, ...endpoint.middlewares]) {
      const { schema } = definition;
      if (!schemas.has(schema)) schemas.set(schema, markedSchema(schema));
      const root = schemas.get(schema);
      if (root) walk(root, config, root, found, false);
    }
    for (const child of endpoint.children) visit(child);
  };
  for (const { input, output } of plans) {
    visit(input);
    visit(output);
  }
  return [...found];
}

/** The JSON Schema, where something in it is marked. */
function markedSchema(schema: ConfigSchema): JsonSchema | undefined {
  const root = jsonSchemaOf(schema);
  return root && /"(?:x-mqb-)?secret":true/.test(JSON.stringify(root)) ? root : undefined;
}

function walk(schema: JsonSchema, value: unknown, root: JsonSchema, found: Set<string>, secret: boolean): void {
  // A reference may carry the mark beside it.
  const marked = secret || isMarked(schema);
  if (typeof value === "string") {
    if (marked || alternatives(schema, root).some(isMarked)) found.add(value);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  for (const option of alternatives(schema, root)) {
    for (const [key, member] of Object.entries(value)) {
      const inner = Array.isArray(value) ? option.items : (option.properties?.[key] ?? option["additionalProperties"]);
      const known = typeof inner === "object" && inner !== null ? (inner as JsonSchema) : {};
      walk(known, member, root, found, marked || isMarked(option));
    }
  }
}
