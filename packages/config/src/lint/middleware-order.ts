import type { Problem } from "@mqb/core";
import type { Side } from "@mqb/core/plugin";
import { problem } from "./lint.ts";
import { type EndpointPart, factOf, type Part, type Subject } from "./subject.ts";

/** `x-mqb-order` of a middleware: a place in the list that it is not made for. */
interface OrderRule {
  readonly side: Side;
  readonly others: readonly string[];
  /** Which of the two must handle a message first: the last one of a list does. */
  readonly handles: "before" | "after";
  /** What becomes of it in the wrong order, as a sentence of its own. */
  readonly otherwise: string;
  readonly level?: "warning" | "note";
}

export function middlewareOrder({ endpoints }: Subject): Problem[] {
  return endpoints.flatMap((endpoint) => endpoint.middlewares.flatMap((one, at) => misplaced(one, at, endpoint)));
}

function misplaced(one: Part, at: number, { middlewares }: EndpointPart): Problem[] {
  const rules = factOf<readonly OrderRule[]>(one, "order") ?? [];
  return rules.flatMap(({ side, others, handles, otherwise, level = "warning" }) => {
    if (side !== one.side) return [];
    const isWrong = (other: Part, position: number): boolean =>
      others.includes(other.name) && (handles === "before" ? position > at : position < at);
    const other = middlewares.find(isWrong);
    if (!other) return [];
    const message = `"${one.name}" handles messages ${handles === "before" ? "after" : "before"} "${other.name}": ${otherwise}`;
    const hint = `a list is read from the bottom up: write "${one.name}" ${handles === "before" ? "below" : "above"} "${other.name}"`;
    return [problem(level, "MQB_LINT_ORDER", one.path, message, hint)];
  });
}
