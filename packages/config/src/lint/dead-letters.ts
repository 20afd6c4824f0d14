import { isDeepStrictEqual } from "node:util";
import type { Problem } from "@mqb/core";
import { problem } from "./lint.ts";
import { sourceOf } from "./source-facts.ts";
import type { EndpointPart, Subject } from "./subject.ts";

/** A middleware that sends to the endpoint it stands at, such as a dead-letter queue that is the queue itself. */
export function deadLetters({ endpoints }: Subject): Problem[] {
  return endpoints.flatMap((one) => {
    const around = one.servedBy;
    if (!around || one.side !== "output" || around.side !== "output" || !isSame(one, around)) return [];
    const source = sourceOf(one);
    const target = source ? `${source.shown} of "${one.name}"` : `the same "${one.name}"`;
    const message = `what fails is sent to ${target}, which is the output that just failed`;
    return [problem("warning", "MQB_LINT_DEAD_LETTERS", one.path, message, "use another target")];
  });
}

function isSame(a: EndpointPart, b: EndpointPart): boolean {
  if (a.name !== b.name || a.name === "null") return false;
  const source = sourceOf(a);
  return source ? source.key === sourceOf(b)?.key : isDeepStrictEqual(a.config, b.config);
}
