import type { Side } from "../contract/context.ts";
import type {
  CheckContext,
  ChildEndpoint,
  EndpointDefinition,
  MiddlewareDefinition,
  References,
  ResolvedChild,
} from "../contract/definition.ts";
import type { InputCapabilities, OutputCapabilities } from "../contract/endpoint.ts";
import type { ExpressionCompiler } from "../contract/expression.ts";
import { coreErrors } from "../errors/errors.ts";
import { describeError, isMqbError } from "../errors/mqb-error.ts";
import type { Registered, Registry } from "../plugin/registry.ts";
import { type Parsed, parseEndpoint, reportUnknown } from "./parse-endpoint.ts";
import { formatPath, type Path, splitPath } from "./path.ts";
import type { Problems } from "./problem.ts";
import { validate } from "./validate.ts";
import { isMap } from "./value-type.ts";

export interface ResolvedMiddleware {
  readonly name: string;
  readonly definition: MiddlewareDefinition;
  readonly config: unknown;
  /** Where its configuration stands, from the route: `output.middlewares[0].dlq`. */
  readonly path: Path;
  readonly children: readonly ResolvedEndpoint[];
  /** Of the end that it wraps. */
  readonly below: Capabilities;
}

/** A checked endpoint, ready to be opened. Capabilities include what its middlewares change. */
export interface ResolvedEndpoint {
  readonly type: string;
  readonly side: Side;
  readonly definition: EndpointDefinition;
  readonly config: unknown;
  /** Where it stands, from the route: `output.middlewares[0].dlq.endpoint`. */
  readonly path: Path;
  /** Where its configuration stands: `output.middlewares[0].dlq.endpoint.file`. */
  readonly configPath: Path;
  /** In written order. */
  readonly middlewares: readonly ResolvedMiddleware[];
  readonly input?: InputCapabilities;
  readonly output?: OutputCapabilities;
  /** Those of its middlewares too. */
  readonly children: readonly ResolvedEndpoint[];
}

export interface ResolveScope extends Pick<CheckContext, "route" | "draining" | "allowFaultInjection"> {
  readonly registry: Registry;
  readonly references: References;
}

const MAX_DEPTH = 32;

/**
 * Checks an endpoint with its middlewares and nested endpoints against their definitions, without opening anything.
 * Adds every problem; undefined when there is an error. `around` holds the endpoints that this one is nested in, so that
 * a circle of references is found.
 */
export function resolveEndpoint(
  raw: unknown,
  side: Side,
  scope: ResolveScope,
  problems: Problems,
  around: readonly unknown[] = [],
): ResolvedEndpoint | undefined {
  const before = problems.errors.length;
  if (around.length > MAX_DEPTH || (isMap(raw) && around.includes(raw))) {
    const message = `the endpoint refers to itself: ${circleText(around, raw)}`;
    return problems.error("MQB_CONFIG_CYCLE", message, "break the circle of references");
  }
  const parsed = parseEndpoint(raw, side, scope.registry, problems);
  if (!parsed) return undefined;

  const entry = parsed.own;
  const place = problems.at(...(entry?.path ?? []));
  const found = entry && scope.registry.endpoint(entry.name);
  const names = parsed.middlewares.map((one) => scope.registry.middleware(one.name)?.name ?? one.name);
  const nested: Nested = { side, scope, around: [...around, raw], middlewares: names };
  let own: Checked | undefined;
  if (entry && !found) reportUnknown("endpoint", entry.name, scope.registry, place);
  if (found) {
    const only = `"${found.name}" can only be an ${side === "input" ? "output" : "input"}`;
    if (!found.definition[side]) place.error("MQB_CONFIG_WRONG_SIDE", only);
    own = checkConfig(found, withName(found.definition, entry.config, scope.route), nested, place);
  }
  const middlewares = parsed.middlewares
    .map((one) => resolveMiddleware(one, nested, problems.at(...one.path)))
    .filter((one) => one !== undefined);
  if (!found || !own || problems.errors.length > before) return undefined;

  const { definition, name: type } = found;
  const { config } = own;
  const layers = guarded(place, () => layersOf(definition, side, own, middlewares));
  if (!layers) return undefined;
  const children = [...own.children, ...middlewares.flatMap((one) => one.children)];
  return { type, side, definition, config, path: problems.path, configPath: place.path, children, ...layers };
}

/** What is known around a configuration when its nested endpoints are looked at. */
interface Nested {
  readonly side: Side;
  readonly scope: ResolveScope;
  readonly around: readonly unknown[];
  readonly middlewares: readonly string[];
}

type Unlayered = Omit<ResolvedMiddleware, "below">;
type Found = Registered<EndpointDefinition | MiddlewareDefinition>;

interface Checked {
  readonly config: unknown;
  readonly context: CheckContext;
  readonly children: readonly ResolvedEndpoint[];
}

function resolveMiddleware(parsed: Parsed, nested: Nested, place: Problems): Unlayered | undefined {
  const { side, scope } = nested;
  const found = scope.registry.middleware(parsed.name);
  if (!found) return reportUnknown("middleware", parsed.name, scope.registry, place);
  const { definition, name } = found;
  if (!definition[side]) {
    const other = side === "input" ? "output" : "input";
    const message = `"${name}" is a middleware for the ${other} only; here it stands on an ${side}`;
    const instead = definition.counterpart ? `; an ${side} takes "${definition.counterpart}"` : "";
    return place.error("MQB_CONFIG_WRONG_SIDE", message, `move it to the ${other}'s "middlewares"${instead}`);
  }
  const checked = checkConfig(found, parsed.config, nested, place);
  return checked && { name, definition, config: checked.config, path: place.path, children: checked.children };
}

/** Validates a configuration; then, on a side that the definition offers, what is nested in it and its own checks. */
function checkConfig({ name, definition }: Found, raw: unknown, nested: Nested, place: Problems): Checked | undefined {
  const { side, scope, around, middlewares } = nested;
  const valid = guarded(place, () => validate(definition.schema, raw, name, place));
  if (!definition[side]) return undefined;
  const config = valid ? valid.value : raw;
  const children: ResolvedEndpoint[] = [];
  const resolved: ResolvedChild[] = [];
  const nestedIn = () => definition.children?.(config, side, scope.references);
  for (const child of (valid ? guarded(place, nestedIn) : likely(nestedIn)) ?? []) {
    const one = resolveEndpoint(child.endpoint, child.side, scope, place.at(...splitPath(child.path)), around);
    if (!one) continue;
    const { type, input, output } = one;
    children.push(one);
    resolved.push({ ...child, type, ...(input ? { input } : {}), ...(output ? { output } : {}) });
  }
  if (!valid) return undefined;
  const { route, draining, allowFaultInjection } = scope;
  const expressions = (): ExpressionCompiler => expressionsOf(scope.registry, formatPath(place.path));
  const known = { side, route, draining, allowFaultInjection, middlewares };
  const context: CheckContext = { ...known, children: resolved, expressions, service: scope.registry.service };
  for (const finding of guarded(place, () => definition.check?.(config, context)) ?? []) place.add(finding);
  return { config, context, children };
}

/** The expression compiler, for what stands at `path`. Throws a `config` error that names the package when there is none. */
export function expressionsOf({ expressions }: Registry, path: string): ExpressionCompiler {
  if (!expressions) throw coreErrors.NO_EXPRESSIONS({ path });
  return expressions;
}

/** What is nested in a configuration that does not fit, as far as that can be told: its faults are reported too. */
function likely(nestedIn: () => readonly ChildEndpoint[] | undefined): readonly ChildEndpoint[] | undefined {
  try {
    return nestedIn()?.filter(({ endpoint }) => endpoint !== undefined);
  } catch {
    return undefined;
  }
}

/** Runs code of a definition; an mqb error that it throws is a problem of this place. */
function guarded<T>(place: Problems, run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!isMqbError(error)) throw error;
    const { code, hint } = error;
    const message = describeError(error);
    place.add({ level: "error", code, path: [], message, ...(hint === undefined ? {} : { hint }) });
    return undefined;
  }
}

type Capabilities = InputCapabilities | OutputCapabilities;
type Change = (below: Capabilities, config: unknown) => Capabilities;

/** The middlewares in written order, each with the capabilities of what it wraps, and those of the whole. */
function layersOf(
  definition: EndpointDefinition,
  side: Side,
  { config, context }: Checked,
  middlewares: readonly Unlayered[],
): Pick<ResolvedEndpoint, "middlewares" | "input" | "output"> {
  let capabilities: Capabilities = definition[side]!.capabilities(config, context);
  // Next to the transport stands the last entry of an input's list, the first one of an output's.
  const outwards = side === "input" ? middlewares.toReversed() : middlewares;
  const layers = outwards.map((one) => {
    const below = capabilities;
    capabilities = (one.definition[`${side}Capabilities`] as Change | undefined)?.(below, one.config) ?? below;
    if ("keepsNothing" in capabilities && !one.definition.keepsNothing)
      capabilities = { ...capabilities, keepsNothing: false };
    return { ...one, below };
  });
  return { [side]: capabilities, middlewares: side === "input" ? layers.reverse() : layers };
}

function withName(definition: EndpointDefinition, config: unknown, route: string): unknown {
  const field = definition.nameField;
  const given = config ?? {};
  return field && isMap(given) && given[field] === undefined ? { ...given, [field]: route } : config;
}

function circleText(around: readonly unknown[], raw: unknown): string {
  const named = (step: unknown): string => {
    const [key, value] = Object.entries(isMap(step) ? step : {}).find(([one]) => one !== "middlewares") ?? [];
    return typeof value === "string" ? `${key} "${value}"` : (key ?? String(step));
  };
  const names = [...around, raw].map(named);
  // From the name that comes again, so that it reads as it was written; else from what holds itself.
  const at = names.indexOf(names.at(-2)!);
  return (at < around.length - 1 ? names.slice(at, -1) : names.slice(Math.max(0, around.indexOf(raw)))).join(" -> ");
}
