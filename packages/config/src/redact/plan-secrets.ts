import type { ResolvedEndpoint, RoutePlan } from "@mqb/core";
import { type ConfigSchema, type JsonSchema, jsonSchemaOf } from "@mqb/core/plugin";
import { alternatives } from "../json-schema.ts";

/** Every text in a checked route that a schema marks as a secret, its middlewares and nested endpoints included. */
export function secretsOfPlan(plan: RoutePlan): string[] {
  const found = new Set<string>();
  const visit = (endpoint: ResolvedEndpoint): void => {
    for (const { definition, config } of [endpoint, ...endpoint.middlewares]) collect(definition.schema, config, found);
    for (const child of endpoint.children) visit(child);
  };
  visit(plan.input);
  visit(plan.output);
  return [...found];
}

function collect(schema: ConfigSchema, config: unknown, found: Set<string>): void {
  const root = jsonSchemaOf(schema);
  if (root) walk(root, config, root, found, false);
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

function isMarked(schema: JsonSchema): boolean {
  return schema["secret"] === true || schema["x-mqb-secret"] === true;
}
