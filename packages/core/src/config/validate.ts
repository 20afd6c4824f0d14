import { type ConfigSchema, type JsonSchema, jsonSchemaOf, type SchemaIssue } from "../contract/schema.ts";
import { coreErrors } from "../errors/errors.ts";
import { nearest, suggest } from "./nearest.ts";
import { formatPath, type Path } from "./path.ts";
import type { Problems } from "./problem.ts";
import { isRouteField } from "./route-options.ts";
import { pathOf, valueAt, withoutUnions } from "./union.ts";
import { typeName } from "./value-type.ts";

type Valid = { readonly value: unknown } | undefined;

/** Validates a configuration against its schema; every issue becomes a problem at its place, and the result undefined. */
export function validate(schema: ConfigSchema, config: unknown, name: string, problems: Problems): Valid {
  const given = config ?? {};
  const result = schema["~standard"].validate(given);
  if (result instanceof Promise) {
    result.catch(() => {});
    throw coreErrors.ASYNC_SCHEMA({ what: name });
  }
  if (!result.issues) return { value: result.value };
  for (const issue of result.issues.flatMap((one) => withoutUnions(one, given)))
    report(issue, given, schema, name, problems);
  return undefined;
}

function report(issue: SchemaIssue, given: unknown, schema: ConfigSchema, name: string, problems: Problems): void {
  const path = pathOf(issue);
  const place = problems.at(...path);
  const field = formatPath(path);
  if (issue.keys) {
    for (const key of issue.keys) {
      const message = `"${name}" has no field "${[...path, key].join(".")}"`;
      place.at(key).error("MQB_CONFIG_UNKNOWN_FIELD", message, fieldHint(key, schema, path));
    }
    return;
  }
  const value = valueAt(given, path);
  if (value === undefined && path.length > 0) {
    place.error("MQB_CONFIG_MISSING", `"${name}" needs the field "${field}"`);
  } else {
    const where = path.length > 0 ? `"${field}" of "${name}"` : `"${name}"`;
    place.error("MQB_CONFIG_VALUE", `${where} is ${typeName(value)} that does not fit: ${issue.message}`);
  }
}

function fieldHint(key: string, schema: ConfigSchema, path: Path): string {
  if (nearest(key, ["middlewares"])) return `"middlewares" stands beside the endpoint type, not inside it`;
  if (isRouteField(key)) return `"${key}" is a field of the route, not of an endpoint`;
  return suggest(key, knownFields(schema, path));
}

function knownFields(schema: ConfigSchema, path: Path): string[] {
  let nodes = formsOf(jsonSchemaOf(schema));
  for (const key of path) nodes = nodes.flatMap((node) => formsOf(node.properties?.[key] ?? node.items));
  return [...new Set(nodes.flatMap((node) => Object.keys(node.properties ?? {})))];
}

function formsOf(node: JsonSchema | undefined): readonly JsonSchema[] {
  const forms = (node?.anyOf ?? node?.["oneOf"] ?? []) as readonly JsonSchema[];
  return node ? [node, ...forms.flatMap(formsOf)] : [];
}
