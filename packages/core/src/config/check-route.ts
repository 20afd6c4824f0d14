import type { References } from "../contract/definition.ts";
import { coreErrors } from "../errors/errors.ts";
import type { Registry } from "../plugin/registry.ts";
import { type InferredGuarantee, inferGuarantee, isWeaker } from "../route/guarantee.ts";
import type { Problem } from "./problem.ts";
import { type ResolvedEndpoint, resolveEndpoint } from "./resolve.ts";
import { asRouteRecord, type RouteOptions, readRouteOptions } from "./route-options.ts";

/** A checked route: everything that is needed to run it, nothing opened yet. */
export interface RoutePlan {
  readonly name: string;
  readonly options: RouteOptions;
  readonly input: ResolvedEndpoint;
  readonly output: ResolvedEndpoint;
  readonly guarantee: InferredGuarantee;
}

export interface CheckedRoute {
  /** Absent when there is an error. */
  readonly plan?: RoutePlan;
  /** In the order: options, input, output. */
  readonly problems: readonly Problem[];
}

export const NO_REFERENCES: References = { get: () => undefined, names: () => [] };

/** Checks a route as written in a configuration. Opens nothing, connects nowhere. Called before every start. */
export function checkRoute(
  registry: Registry,
  name: string,
  raw: unknown,
  references: References = NO_REFERENCES,
): CheckedRoute {
  const problems: Problem[] = [];
  const record = asRouteRecord(raw, problems);
  if (!record) return { problems };
  const options = readRouteOptions(record, problems);
  const scope = {
    registry,
    references,
    route: name,
    draining: options.exitOnEmpty,
    allowFaultInjection: options.allowFaultInjection,
  };
  let input: ResolvedEndpoint | undefined;
  if (record["input"] === undefined) {
    problems.push({
      level: "error",
      code: "MQB_CONFIG_MISSING",
      path: ["input"],
      message: `route "${name}" has no "input"`,
    });
  } else input = resolveEndpoint(record["input"], "input", ["input"], scope, problems);
  const output = resolveEndpoint(record["output"], "output", ["output"], scope, problems);
  if (!input || !output || problems.some((problem) => problem.level === "error")) return { problems };
  const guarantee = inferGuarantee(input, output);
  if (options.requiredDelivery && isWeaker(guarantee.level, options.requiredDelivery)) {
    const error = coreErrors.GUARANTEE({
      required: options.requiredDelivery,
      inferred: guarantee.level,
      reason: guarantee.reason,
    });
    problems.push({ level: "error", code: error.code, path: ["required_delivery"], message: error.message });
    return { problems };
  }
  return { plan: { name, options, input, output, guarantee }, problems };
}
