import type { SchemaIssue } from "../contract/schema.ts";
import { formatPath, type Path } from "./path.ts";

/**
 * What to say of a value that fits none of several forms: the issues of the form that was meant, where its type or the
 * field that tells the forms apart picks one; else one issue that says why each was refused. `given` is the value that
 * the issue's path starts from.
 */
export function withoutUnions(issue: SchemaIssue, given: unknown): readonly SchemaIssue[] {
  const path = pathOf(issue);
  if (!issue.errors?.length) return [issue];
  const value = valueAt(given, path);
  const forms = issue.errors.map((form) => form.flatMap((one) => withoutUnions(one, value)));
  const meant = forms.filter((form) => !form.some((one) => isOfAnother(one, value)));
  if (meant.length === 1) return meant[0]!.map((one) => ({ ...one, path: [...path, ...pathOf(one)] }));
  const reasons = new Set(forms.map((form) => form.map(reason).join(", ")));
  return [{ ...issue, message: `none of its forms: ${[...reasons].join("; ")}` }];
}

export function pathOf(issue: SchemaIssue): Path {
  return (issue.path ?? []).map((part) => {
    const key = typeof part === "object" ? part.key : part;
    return typeof key === "number" ? key : String(key);
  });
}

export function valueAt(given: unknown, path: Path): unknown {
  return path.reduce<unknown>((node, key) => (node as Record<string | number, unknown> | null)?.[key], given);
}

/** The issue says that the value is meant to follow another form. */
function isOfAnother(issue: SchemaIssue, value: unknown): boolean {
  const path = pathOf(issue);
  const { code, values = [] } = issue;
  if (code === "invalid_value" && path.length > 0) return path.length === 1 && values.length === 1;
  if (path.length > 0) return false;
  return code === "invalid_value"
    ? !values.some((one) => typeof one === typeof value)
    : /_type$|_union$/.test(code ?? "");
}

function reason(issue: SchemaIssue): string {
  const at = formatPath(pathOf(issue));
  return at === "" ? issue.message : `"${at}" ${issue.message}`;
}
