import type { Side } from "../contract/context.ts";
import type {
  CheckContext,
  EndpointDefinition,
  Finding,
  MiddlewareDefinition,
  References,
  ResolvedChild,
} from "../contract/definition.ts";
import type { InputCapabilities, OutputCapabilities } from "../contract/endpoint.ts";
import { type ConfigSchema, jsonSchemaOf, type SchemaIssue } from "../contract/schema.ts";
import { coreErrors, formatPath } from "../errors/errors.ts";
import type { Registry } from "../plugin/registry.ts";
import { isRecord, parseEndpoint, typeName, unknownName } from "./parse-endpoint.ts";
import { type Problem, suggest } from "./problem.ts";

export interface ResolvedMiddleware {
  readonly name: string;
  readonly definition: MiddlewareDefinition;
  readonly config: unknown;
  readonly path: readonly (string | number)[];
}

/** A checked endpoint, ready to be opened. Capabilities include what its middlewares change. */
export interface ResolvedEndpoint {
  readonly type: string;
  readonly side: Side;
  readonly definition: EndpointDefinition;
  readonly config: unknown;
  /** Where it stands, from the route: `output.middlewares[0].dlq.endpoint`. */
  readonly path: readonly (string | number)[];
  /** In written order. */
  readonly middlewares: readonly ResolvedMiddleware[];
  readonly input?: InputCapabilities;
  readonly output?: OutputCapabilities;
  readonly children: readonly ResolvedEndpoint[];
}

export interface ResolveScope {
  readonly registry: Registry;
  readonly references: References;
  readonly route: string;
  readonly draining: boolean;
  readonly allowFaultInjection: boolean;
}

const MAX_DEPTH = 32;
const PLAIN_INPUT: InputCapabilities = {
  acknowledges: false,
  commitsInOrder: true,
  replies: false,
  stableIds: false,
  replayablePosition: false,
  bounded: false,
};
const PLAIN_OUTPUT: OutputCapabilities = {
  acknowledges: false,
  replies: false,
  orderedPublish: false,
  idempotent: false,
};

/**
 * Checks an endpoint with its middlewares and nested endpoints against their definitions, without opening anything.
 * Adds every problem; undefined when there is an error that leaves nothing to open. `open` holds the endpoints that
 * this one is nested in, so that a cycle of references is found.
 */
export function resolveEndpoint(
  raw: unknown,
  side: Side,
  path: readonly (string | number)[],
  scope: ResolveScope,
  problems: Problem[],
  open: readonly unknown[] = [],
): ResolvedEndpoint | undefined {
  const report = (
    level: Problem["level"],
    at: readonly (string | number)[],
    code: string,
    message: string,
    hint?: string,
  ): undefined => {
    problems.push({ level, code, path: [...path, ...at], message, ...(hint === undefined ? {} : { hint }) });
  };
  if (open.length > MAX_DEPTH || (isRecord(raw) && open.includes(raw))) {
    return report(
      "error",
      [],
      "MQB_CONFIG_CYCLE",
      `the endpoint refers to itself: ${cycleText(open, raw)}`,
      "break the circle of references",
    );
  }
  const shape: Problem[] = [];
  const parsed = parseEndpoint(raw, side, scope.registry, shape);
  for (const one of shape) problems.push({ ...one, path: [...path, ...one.path] });
  if (!parsed) return undefined;

  const before = countErrors(problems);
  const found = scope.registry.endpoint(parsed.type);
  if (!found) {
    const unknown = unknownName("endpoint", parsed.type, scope.registry);
    report("error", parsed.path, "MQB_CONFIG_UNKNOWN_ENDPOINT", unknown.message, unknown.hint);
  }
  const definition = found?.definition;
  const nested: Nested = { scope, open: [...open, raw], problems, base: path };
  let config: unknown;
  let own: { children: ResolvedEndpoint[]; context: CheckContext } | undefined;
  if (definition && found) {
    if (!definition[side])
      report(
        "error",
        parsed.path,
        "MQB_CONFIG_WRONG_SIDE",
        `"${found.name}" cannot be an ${side}`,
        `it is ${side === "input" ? "output" : "input"} only`,
      );
    const checked = validate(
      definition.schema,
      withName(definition, parsed.config, scope.route),
      found.name,
      [...path, ...parsed.path],
      problems,
    );
    if (checked) {
      config = checked.value;
      own = checkFurther(definition, config, side, parsed.path, nested);
    }
  }
  const middlewares = parsed.middlewares.map((one) => resolveMiddleware(one, side, nested));
  if (!definition || !found || !own || countErrors(problems) > before || !definition[side]) return undefined;

  const usable = middlewares.filter((one) => one !== undefined);
  return {
    type: found.name,
    side,
    definition,
    config,
    path,
    middlewares: usable,
    children: [...own.children, ...usable.flatMap((one) => one.children)],
    ...(side === "input"
      ? { input: inputCapabilities(definition, config, own.context, usable) }
      : { output: outputCapabilities(definition, config, own.context, usable) }),
  };
}

interface Nested {
  readonly scope: ResolveScope;
  readonly open: readonly unknown[];
  readonly problems: Problem[];
  readonly base: readonly (string | number)[];
}

function resolveMiddleware(
  parsed: { name: string; config: unknown; path: readonly (string | number)[] },
  side: Side,
  nested: Nested,
): (ResolvedMiddleware & { children: ResolvedEndpoint[] }) | undefined {
  const { scope, problems, base } = nested;
  const path = [...base, ...parsed.path];
  const found = scope.registry.middleware(parsed.name);
  if (!found) {
    problems.push({
      level: "error",
      code: "MQB_CONFIG_UNKNOWN_MIDDLEWARE",
      path,
      ...unknownName("middleware", parsed.name, scope.registry),
    });
    return undefined;
  }
  const { definition, name } = found;
  if (!definition[side]) {
    const other = side === "input" ? "output" : "input";
    problems.push({
      level: "error",
      code: "MQB_CONFIG_WRONG_SIDE",
      path,
      message: `"${name}" is a middleware for the ${other} only; here it stands on an ${side}`,
      hint: `move it to the ${other}'s "middlewares"`,
    });
    return undefined;
  }
  const checked = validate(definition.schema, parsed.config, name, path, problems);
  if (!checked) return undefined;
  const further = checkFurther(definition, checked.value, side, parsed.path, nested);
  return { name, definition, config: checked.value, path, children: further.children };
}

function checkFurther(
  definition: {
    children?(
      config: unknown,
      side: Side,
      references: References,
    ): readonly { path: string; side: Side; endpoint: unknown }[];
    check?(config: unknown, context: CheckContext): readonly Finding[];
  },
  config: unknown,
  side: Side,
  at: readonly (string | number)[],
  nested: Nested,
): { children: ResolvedEndpoint[]; context: CheckContext } {
  const { scope, problems, base, open } = nested;
  const children: ResolvedEndpoint[] = [];
  const resolved: ResolvedChild[] = [];
  for (const child of definition.children?.(config, side, scope.references) ?? []) {
    const one = resolveEndpoint(
      child.endpoint,
      child.side,
      [...base, ...at, ...splitPath(child.path)],
      scope,
      problems,
      open,
    );
    if (!one) continue;
    children.push(one);
    resolved.push({
      ...child,
      type: one.type,
      ...(one.input ? { input: one.input } : {}),
      ...(one.output ? { output: one.output } : {}),
    });
  }
  const context: CheckContext = {
    side,
    route: scope.route,
    draining: scope.draining,
    allowFaultInjection: scope.allowFaultInjection,
    children: resolved,
  };
  for (const finding of definition.check?.(config, context) ?? []) {
    problems.push({ ...finding, path: [...base, ...at, ...finding.path] });
  }
  return { children, context };
}

function inputCapabilities(
  definition: EndpointDefinition,
  config: unknown,
  context: CheckContext,
  middlewares: readonly ResolvedMiddleware[],
): InputCapabilities {
  let capabilities = definition.input?.capabilities(config, context) ?? PLAIN_INPUT;
  // The last entry of the list is next to the transport.
  for (const one of middlewares.toReversed())
    capabilities = one.definition.inputCapabilities?.(capabilities, one.config) ?? capabilities;
  return capabilities;
}

function outputCapabilities(
  definition: EndpointDefinition,
  config: unknown,
  context: CheckContext,
  middlewares: readonly ResolvedMiddleware[],
): OutputCapabilities {
  let capabilities = definition.output?.capabilities(config, context) ?? PLAIN_OUTPUT;
  // The first entry of the list is next to the transport.
  for (const one of middlewares)
    capabilities = one.definition.outputCapabilities?.(capabilities, one.config) ?? capabilities;
  return capabilities;
}

/** Validates a configuration against its schema; every issue becomes a problem at its place. */
function validate(
  schema: ConfigSchema,
  value: unknown,
  name: string,
  path: readonly (string | number)[],
  problems: Problem[],
): { value: unknown } | undefined {
  const result = schema["~standard"].validate(value ?? {});
  if (result instanceof Promise) throw coreErrors.ASYNC_SCHEMA({ what: name });
  if (!result.issues) return { value: result.value };
  for (const issue of result.issues) problems.push(...fromIssue(issue, value, schema, name, path));
  return undefined;
}

function fromIssue(
  issue: SchemaIssue,
  value: unknown,
  schema: ConfigSchema,
  name: string,
  path: readonly (string | number)[],
): Problem[] {
  const inner = (issue.path ?? []).map((part) => {
    const key = typeof part === "object" ? part.key : part;
    return typeof key === "number" ? key : String(key);
  });
  const at = [...path, ...inner];
  if (issue.keys) {
    const known = knownFields(schema, inner);
    return issue.keys.map((key) => ({
      level: "error",
      code: "MQB_CONFIG_UNKNOWN_FIELD",
      path: [...at, key],
      message: `"${name}" has no field "${[...inner, key].join(".")}"`,
      hint:
        key === "middlewares" ? `"middlewares" stands beside the endpoint type, not inside it` : suggest(key, known),
    }));
  }
  const given = inner.reduce<unknown>(
    (node, key) =>
      node === null || typeof node !== "object" ? undefined : (node as Record<string | number, unknown>)[key],
    value ?? {},
  );
  if (given === undefined && inner.length > 0) {
    return [
      {
        level: "error",
        code: "MQB_CONFIG_MISSING",
        path: at,
        message: `"${name}" needs the field "${formatPath(inner)}"`,
      },
    ];
  }
  const where = inner.length > 0 ? `"${formatPath(inner)}" of "${name}"` : `"${name}"`;
  return [
    {
      level: "error",
      code: "MQB_CONFIG_VALUE",
      path: at,
      message: `${where} is ${typeName(given)} that does not fit: ${issue.message}`,
    },
  ];
}

function knownFields(schema: ConfigSchema, path: readonly (string | number)[]): string[] {
  let node = jsonSchemaOf(schema);
  for (const key of path) node = node?.properties?.[key] ?? node?.items;
  if (!node) return [];
  const objects = node.properties ? [node] : (node.anyOf ?? []);
  return objects.flatMap((one) => Object.keys(one.properties ?? {}));
}

function withName(definition: EndpointDefinition, config: unknown, route: string): unknown {
  const field = definition.nameField;
  if (!field || !isRecord(config ?? {}) || (config as Record<string, unknown> | null)?.[field] !== undefined)
    return config;
  return { ...(config as Record<string, unknown> | null), [field]: route };
}

function splitPath(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map((match) =>
    match[1] === undefined ? match[2]! : Number(match[1]),
  );
}

function cycleText(open: readonly unknown[], raw: unknown): string {
  const steps = [...open.slice(Math.max(0, open.indexOf(raw))), raw];
  return steps
    .map((step) => {
      if (!isRecord(step)) return String(step);
      const key = Object.keys(step).find((one) => one !== "middlewares") ?? "{}";
      const value = step[key];
      return typeof value === "string" ? `${key} "${value}"` : key;
    })
    .join(" -> ");
}

function countErrors(problems: readonly Problem[]): number {
  let count = 0;
  for (const problem of problems) if (problem.level === "error") count += 1;
  return count;
}
