import type { Problem } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import { problem } from "./lint.ts";
import { type EndpointPart, factOf, type Part, type Subject } from "./subject.ts";

/** `x-mqb-inside` of a middleware: endpoints with others inside, into which it is to be written. */
interface InsideRule {
  readonly others: readonly string[];
  /** Values of its own fields with which it does no harm around them. */
  readonly unless?: Readonly<Record<string, unknown>>;
  /** What happens around them, as a sentence of its own. */
  readonly otherwise: string;
}

export function inside({ endpoints }: Subject): Problem[] {
  return endpoints.flatMap((endpoint) => endpoint.middlewares.flatMap((one) => around(one, endpoint)));
}

function around(one: Part, { name }: EndpointPart): Problem[] {
  const rules = factOf<readonly InsideRule[]>(one, "inside") ?? [];
  return rules.flatMap(({ others, unless = {}, otherwise }) => {
    if (!others.includes(name) || Object.entries(unless).some(([field, value]) => settingOf(one, field) === value))
      return [];
    const message = `"${one.name}" stands around "${name}": ${otherwise}`;
    return [
      problem("warning", "MQB_LINT_ORDER", one.path, message, "write it into the middlewares of each input inside"),
    ];
  });
}

function settingOf({ config }: Part, field: string): unknown {
  return isMap(config) ? config[field] : undefined;
}
