import type { Problem } from "@mqb/core";
import { formatPath } from "@mqb/core";
import { problem } from "./lint.ts";
import { leavesOf, type Subject } from "./subject.ts";

const TOKEN = /(?<!\$)\$\{(?:payload|metadata|message|gen|env|now):[^}]*\}/;

/** A message template in a text that is taken as it is: in all fields without `x-mqb-template`. */
export function template({ parts }: Subject): Problem[] {
  return parts.flatMap((part) =>
    leavesOf(part).flatMap(({ path, value, field, marks }) => {
      const token = typeof value === "string" && field.types.size > 0 ? TOKEN.exec(value)?.[0] : undefined;
      if (token === undefined || marks["template"] === true) return [];
      const name = path.length === 0 ? "" : `"${formatPath(path)}" of `;
      const message = `${name}"${part.name}" holds ${token}, but no template is filled in here, so it is used as written`;
      const variable = /^\$\{env:([A-Za-z_]\w*)\}$/.exec(token)?.[1];
      const hint = variable === undefined ? "write a fixed text" : `write \${${variable}} for the variable`;
      return [problem("warning", "MQB_LINT_TEMPLATE", [...part.path, ...path], message, hint)];
    }),
  );
}
