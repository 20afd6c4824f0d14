import type { ConfigSchema, SchemaIssue } from "@mqb/core/plugin";
import { errors } from "../errors.ts";

/** The checked value of a configuration. Throws a `config` error that lists what the schema finds. */
export function checkConfig<C>(schema: ConfigSchema<C>, value: unknown, path: string): C {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise)
    throw new TypeError(`the schema of ${path} answers with a promise; mqb takes none such`);
  if (!result.issues) return result.value;
  throw errors.INVALID_CONFIG({ path, issues: result.issues.map(describeIssue).join("; ") });
}

function describeIssue(issue: SchemaIssue): string {
  const keys = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part));
  return keys.length > 0 ? `${keys.join(".")}: ${issue.message}` : issue.message;
}
