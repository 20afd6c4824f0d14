import type { Path, ResolvedEndpoint, RoutePlan } from "@mqb/core";
import { type ConfigSchema, type JsonSchema, jsonSchemaOf } from "@mqb/core/plugin";
import { alternatives, isMarked, typesOf } from "../json-schema.ts";
import { secretText } from "./secret-text.ts";

/** Every text and number, as its text, in a checked route that a schema marks as a secret, its middlewares and nested endpoints included. */
export function secretsOfPlan(plan: RoutePlan): string[] {
  return secretsOfPlans([plan]);
}

/** Those of several routes, each once. */
export function secretsOfPlans(plans: readonly RoutePlan[]): string[] {
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    const text = secretText(value);
    if (text !== undefined) found.add(text);
    else if (typeof value === "object" && value !== null) for (const member of Object.values(value)) collect(member);
  };
  eachMarked(plans, collect);
  return [...found];
}

/**
 * Calls `found` for every value of checked routes that a schema marks as a secret, with its path in its route; not again
 * for what is inside of one. To say a schema as JSON Schema takes longer than to walk through it: it is done once.
 */
export function eachMarked(plans: readonly RoutePlan[], found: (value: unknown, path: Path) => void): void {
  const schemas = new Map<ConfigSchema, JsonSchema | undefined>();
  const marked = new WeakMap<JsonSchema, boolean>();
  const mayHold = (schema: JsonSchema): boolean => {
    let answer = marked.get(schema);
    if (answer === undefined) marked.set(schema, (answer = MARK_INSIDE.test(JSON.stringify(schema))));
    return answer;
  };
  const look = (schema: ConfigSchema, config: unknown, path: Path): void => {
    if (!schemas.has(schema)) schemas.set(schema, jsonSchemaOf(schema));
    const root = schemas.get(schema);
    if (root && mayHold(root)) walk(root, config, path, { root, mayHold, found });
  };
  const visit = ({ definition, config, configPath, middlewares, children }: ResolvedEndpoint): void => {
    look(definition.schema, config, configPath);
    for (const one of middlewares) look(one.definition.schema, one.config, one.path);
    for (const child of children) visit(child);
  };
  for (const { input, output } of plans) {
    visit(input);
    visit(output);
  }
}

/** A reference may lead to a mark. */
const MARK_INSIDE = /"(?:x-mqb-)?secret":true|"\$ref":/;

interface Search {
  readonly root: JsonSchema;
  /** Whether anything in a schema is marked: most of one is not. */
  readonly mayHold: (schema: JsonSchema) => boolean;
  readonly found: (value: unknown, path: Path) => void;
}

function walk(schema: JsonSchema, value: unknown, path: Path, search: Search): void {
  // What is not there is no secret.
  if (value === undefined || value === null) return;
  const options = alternatives(schema, search.root);
  // A reference may carry the mark beside it.
  if (isMarked(schema) || options.some((option) => isMarked(option) && mayBe(value, option))) {
    search.found(value, path);
    return;
  }
  if (typeof value !== "object") return;
  for (const option of options) {
    for (const [key, member] of Object.entries(value)) {
      const inner = Array.isArray(value) ? option.items : (option.properties?.[key] ?? option["additionalProperties"]);
      if (typeof inner !== "object" || inner === null || !search.mayHold(inner as JsonSchema)) continue;
      walk(inner as JsonSchema, member, [...path, Array.isArray(value) ? Number(key) : key], search);
    }
  }
}

/** Of a union, the form of another type says nothing of a value. */
function mayBe(value: unknown, option: JsonSchema): boolean {
  const types = typesOf(option);
  const isObject = typeof value === "object";
  return types.length === 0 || types.some((type) => (type === "object" || type === "array") === isObject);
}
