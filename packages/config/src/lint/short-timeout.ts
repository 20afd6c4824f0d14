import type { Problem } from "@mqb/core";
import { problem } from "./lint.ts";
import { type EndpointPart, fieldsMarked, type Part, type Subject, settingOf } from "./subject.ts";

/** `x-mqb-gives-up` around `x-mqb-waits`: a limit of time that a middleware inside of it uses up by waiting. */
export function shortTimeout({ endpoints }: Subject): Problem[] {
  return endpoints.filter(({ side }) => side === "output").flatMap(shortTimeoutsOf);
}

function shortTimeoutsOf({ middlewares }: EndpointPart): Problem[] {
  return middlewares.flatMap((outer, index) =>
    timesOf(outer, "gives-up").flatMap((limit) => {
      // The last one handles a message first: those before it are inside of it.
      const waits = middlewares
        .slice(0, index)
        .flatMap((part) => timesOf(part, "waits").map((wait) => ({ ...wait, part })));
      const total = waits.reduce((sum, { ms }) => sum + ms, 0);
      if (total < limit.ms || total === 0) return [];
      const inside = waits
        .filter(({ ms }) => ms > 0)
        .map(({ part, field, ms }) => `"${part.name}" (${field}: ${ms})`)
        .join(" and ");
      const message = `${limit.field} of "${outer.name}" is ${limit.ms}, and a send may wait that long in ${inside}: it is given up for nothing`;
      const hint = `raise ${limit.field}, or write "${outer.name}" above what waits`;
      return [problem("warning", "MQB_LINT_TIMEOUT", [...outer.path, limit.field], message, hint)];
    }),
  );
}

function timesOf(part: Part, mark: string): { readonly field: string; readonly ms: number }[] {
  return fieldsMarked(part, mark).flatMap((field) => {
    const ms = settingOf(part, field);
    return typeof ms === "number" ? [{ field, ms }] : [];
  });
}
