import type { Problem } from "@mqb/core";
import { problem } from "./lint.ts";
import { factOf, leavesOf, type Subject } from "./subject.ts";

/** `x-mqb-defeats` of a middleware: settings of its endpoint that have no effect behind it, and why. */
export function defeatedSetting({ endpoints }: Subject): Problem[] {
  return endpoints.flatMap((endpoint) =>
    endpoint.middlewares.flatMap((one) => {
      const defeats = factOf<Readonly<Record<string, string>>>(one, "defeats") ?? {};
      return leavesOf(endpoint).flatMap(({ path, value, field }) => {
        const why = path.length === 1 ? defeats[String(path[0])] : undefined;
        if (why === undefined || value === field.fallback || value === "none" || value === false) return [];
        const message = `"${path[0]}" of "${endpoint.name}" gains nothing behind the middleware "${one.name}": ${why}`;
        return [problem("warning", "MQB_LINT_DEFEATED", [...endpoint.path, ...path], message, "use one of the two")];
      });
    }),
  );
}
