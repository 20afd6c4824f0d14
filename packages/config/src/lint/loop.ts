import type { Problem } from "@mqb/core";
import { membersMarked } from "../fields/field.ts";
import { problem } from "./lint.ts";
import { sourceOf } from "./source-facts.ts";
import type { Subject } from "./subject.ts";

/** A route whose output is its own input, so that each message goes round for ever. Files are refused elsewhere. */
export function loop({ plan, endpoints }: Subject): Problem[] {
  const input = endpoints.find((one) => one.endpoint === plan.input)!;
  const source = sourceOf(input);
  if (!source || membersMarked(input.field, "file").length > 0) return [];
  return endpoints
    .filter((one) => one.side === "output" && sourceOf(one)?.key === source.key)
    .map((one) =>
      problem(
        "warning",
        "MQB_LINT_LOOP",
        one.path,
        `the route writes to ${source.shown} of "${one.name}", which is what it reads: each message goes round for ever`,
        "write to another one, or leave some out with a filter",
      ),
    );
}
