import type { References } from "../contract/definition.ts";
import { coreErrors } from "../errors/errors.ts";
import type { Registry } from "../plugin/registry.ts";
import { type InferredGuarantee, inferGuarantee, isWeaker } from "../route/guarantee.ts";
import { type Problem, Problems } from "./problem.ts";
import { type ResolvedEndpoint, type ResolveScope, resolveEndpoint } from "./resolve.ts";
import { type RouteOptions, readRouteOptions } from "./route-options.ts";
import { isMap, typeName } from "./value-type.ts";

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

const NO_REFERENCES: References = { get: () => undefined, names: () => [] };

/** Checks a route as written in a configuration. Opens nothing, connects nowhere. Called before every start. */
export function checkRoute(registry: Registry, name: string, raw: unknown, references = NO_REFERENCES): CheckedRoute {
  const problems = new Problems();
  const plan = isMap(raw) ? planOf(name, raw, { registry, references }, problems) : undefined;
  if (!isMap(raw))
    problems.error("MQB_CONFIG_TYPE", `a route is a map with "input" and "output", not ${typeName(raw)}`);
  return { ...(plan && problems.errors.length === 0 ? { plan } : {}), problems: problems.list };
}

function planOf(
  name: string,
  raw: Readonly<Record<string, unknown>>,
  known: Pick<ResolveScope, "registry" | "references">,
  problems: Problems,
): RoutePlan | undefined {
  const options = readRouteOptions(raw, problems);
  const { exitOnEmpty: draining, allowFaultInjection, requiredDelivery } = options;
  const scope = { ...known, route: name, draining, allowFaultInjection };
  const written = raw["input"] ?? undefined;
  if (written === undefined) problems.at("input").error("MQB_CONFIG_MISSING", `route "${name}" has no "input"`);
  const input = written === undefined ? undefined : resolveEndpoint(written, "input", scope, problems.at("input"));
  const output = resolveEndpoint(raw["output"], "output", scope, problems.at("output"));
  if (!input || !output) return undefined;
  checkPositions(input, output, problems.at("output"));
  const guarantee = inferGuarantee(input, output);
  if (requiredDelivery && isWeaker(guarantee.level, requiredDelivery)) {
    const { acknowledgesWith: setting } = input.input!;
    const { code, message, hint } = coreErrors.GUARANTEE({ required: requiredDelivery, setting, ...guarantee });
    problems.add({ level: "error", code, path: ["required_delivery"], message, hint: hint! });
  }
  const batchSize = (raw["batch_size"] ?? output.output!.defaultBatchSize ?? options.batchSize) as number;
  return { name, options: { ...options, batchSize }, input, output, guarantee };
}

/** A sink that names what it writes by source positions has no name for what comes without one. */
function checkPositions(input: ResolvedEndpoint, output: ResolvedEndpoint, problems: Problems): void {
  const setting = output.output!.needsPositions;
  const { positions, replayablePosition } = input.input!;
  if (setting === undefined || (positions ?? replayablePosition)) return;
  const message = `${setting} of "${output.type}" needs an input with a replayable position, which "${input.type}" does not have`;
  problems.error("MQB_CONFIG_NO_POSITION", message, "let the output name what it writes in another way");
}
