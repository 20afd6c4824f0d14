import type { Problem } from "@mqb/core";
import { formatPath } from "@mqb/core";
import { problem } from "./lint.ts";
import { leavesOf, type Subject } from "./subject.ts";

/** `x-mqb-side`: settings that are written on a side on which they do nothing. */
export function otherSide({ parts }: Subject): Problem[] {
  return parts.flatMap((part) => {
    const reported = new Set<string>();
    return leavesOf(part).flatMap(({ path, value, field, marks }) => {
      const side = marks["side"];
      const name = formatPath(path.slice(0, 1));
      if (side === undefined || side === part.side || value === field.fallback || reported.has(name)) return [];
      reported.add(name);
      const message = `"${name}" of "${part.name}" has no effect on an ${part.side}, only on an ${part.side === "input" ? "output" : "input"}`;
      return [problem("note", "MQB_LINT_OTHER_SIDE", [...part.path, ...path.slice(0, 1)], message, "remove it")];
    });
  });
}
