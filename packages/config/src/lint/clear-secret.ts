import type { Problem } from "@mqb/core";
import { formatPath } from "@mqb/core";
import { credentialsOf } from "./credentials.ts";
import { problem, type Written } from "./lint.ts";
import type { Part, Subject } from "./subject.ts";

/** A secret in the text of the configuration, where it is read by whoever reads that. */
export function clearSecret({ parts }: Subject, where: Written): Problem[] {
  return parts.flatMap((part) =>
    credentialsOf(part).flatMap(({ path, value, field }) => {
      const at = [...part.path, ...path];
      if (/\$\{(?:env|file):[^}]*\}/.test(String(value)) || !where.isInClear(at)) return [];
      const name = formatPath(path);
      const what = field.isSecret ? `"${name}" of "${part.name}"` : `the password in "${name}" of "${part.name}"`;
      const hint = `write \${${variableFor(part, name)}} and set that variable`;
      return [problem("note", "MQB_LINT_CLEAR_SECRET", at, `${what} is written in plain text`, hint)];
    }),
  );
}

function variableFor({ name }: Part, field: string): string {
  const last = field === "url" ? "password" : field;
  return `${name}_${last}`.toUpperCase().replace(/\W+/g, "_").replace(/_$/, "");
}
