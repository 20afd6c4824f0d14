import type { Registry } from "@mqb/core";
import { type ConfigSchema, type JsonSchema, jsonSchemaOf } from "@mqb/core/plugin";
import { isSecretName } from "../../../../packages/config/src/redact/secret-names.ts";

/** A route for every endpoint and middleware that has a field for a secret, by schema or by name, with all of them written. */
export function filledRoutes(registry: Registry): Readonly<Record<string, object>> {
  const routes: Record<string, object> = {};
  const memory = { memory: { topic: "t" } };
  for (const name of registry.names("endpoint")) {
    const definition = registry.endpoint(name)?.definition;
    const config = definition && filled(definition.schema);
    if (config === undefined) continue;
    if (definition!.input) routes[`from_${name}`] = { input: { [name]: config }, output: null };
    if (definition!.output) routes[`to_${name}`] = { input: memory, output: { [name]: config } };
  }
  for (const name of registry.names("middleware")) {
    const definition = registry.middleware(name)?.definition;
    const config = definition && filled(definition.schema);
    if (config === undefined) continue;
    const end = { ...memory, middlewares: [{ [name]: config }] };
    routes[`with_${name}`] = definition!.input ? { input: end, output: null } : { input: memory, output: end };
  }
  return routes;
}

/** Undefined when nothing in it may hold a secret. */
function filled(schema: ConfigSchema): unknown {
  const root = jsonSchemaOf(schema);
  return root && holdsSecret(root, root, "", 0) ? sampleOf(root, root, "", 0) : undefined;
}

function holdsSecret(node: JsonSchema, root: JsonSchema, name: string, depth: number): boolean {
  const schema = resolved(node, root);
  if (isSecret(node, name) || isSecret(schema, name) || /(?:^|_)url$/.test(name)) return true;
  if (depth > 5) return false;
  const inner = [...alternatives(schema), ...(schema.items ? [schema.items] : [])];
  const more = schema["additionalProperties"];
  if (isSchema(more)) inner.push(more);
  return (
    inner.some((one) => holdsSecret(one, root, "", depth + 1)) ||
    Object.entries(schema.properties ?? {}).some(([key, one]) => holdsSecret(one, root, key, depth + 1))
  );
}

function sampleOf(node: JsonSchema, root: JsonSchema, name: string, depth: number): unknown {
  const schema = resolved(node, root);
  const form = alternatives(schema).find((one) => holdsSecret(one, root, "", depth + 1)) ?? alternatives(schema)[0];
  if (form && schema.type === undefined) return sampleOf(form, root, name, depth + 1);
  if (schema.enum) return schema.enum[0];
  if (schema["const"] !== undefined) return schema["const"];
  const type = [schema.type].flat()[0];
  if (type === "integer" || type === "number") return Math.max(1, Number(schema["minimum"] ?? 1));
  if (type === "boolean") return true;
  if (type === "array") return schema.items ? [sampleOf(schema.items, root, "", depth + 1)] : [];
  if (type !== "object") return /url$/.test(name) ? "scheme://host:1234/name" : "text";
  const required = (schema["required"] as readonly string[] | undefined) ?? [];
  const members = Object.entries(schema.properties ?? {}).filter(
    ([key, one]) => required.includes(key) || holdsSecret(one, root, key, depth + 1),
  );
  const more = isSchema(schema["additionalProperties"]) ? { authorization: "text", "x-api-key": "text" } : {};
  return { ...more, ...Object.fromEntries(members.map(([key, one]) => [key, sampleOf(one, root, key, depth + 1)])) };
}

function isSecret(schema: JsonSchema, name: string): boolean {
  return schema["secret"] === true || schema["x-mqb-secret"] === true || (name !== "" && isSecretName(name));
}

function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  return ["anyOf", "oneOf", "allOf"].flatMap((key) => (schema[key] as readonly JsonSchema[] | undefined) ?? []);
}

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return schema;
  let target: unknown = root;
  for (const part of reference.replace(/^#\/?/, "").split("/").filter(Boolean))
    target = (target as Record<string, unknown>)[part];
  return target as JsonSchema;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
