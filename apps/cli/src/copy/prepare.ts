import {
  checkWithDefaults,
  endpointFromUri,
  exactJson,
  explainProblems,
  lintRoute,
  type Names,
  namesInUri,
  parseUri,
} from "@mqb/config/uri";
import { formatPath, type Problem, type Registry, type ResolvedEndpoint, type RoutePlan } from "@mqb/core";
import type { ParsedArgs } from "../args/parse.ts";
import { cliErrors } from "../errors.ts";
import { discoverPlugins } from "../plugins/discover.ts";
import { loadRegistry } from "../plugins/load.ts";
import { copyEnds } from "./ends.ts";
import { copyIdentity, type ResumeKind, resumeInput, withoutPosition } from "./resume.ts";

/** A copy that is ready to run: everything checked, nothing opened. */
export interface PreparedCopy {
  readonly registry: Registry;
  /** What `Bridge.route` takes. */
  readonly config: unknown;
  readonly plan: RoutePlan;
  /** The URIs without their secrets. */
  readonly shown: { readonly from: string; readonly to: string };
  /** How the copy goes on where an earlier one ended. */
  readonly resume: ResumeKind;
  /** What is to be said about it before it starts. */
  readonly warnings: readonly string[];
  /** Rows go to standard output, so nothing else may. */
  readonly toStdout: boolean;
  readonly draining: boolean;
}

type Endpoint = Record<string, unknown>;

export const COPY_ROUTE = "copy";
const DEFAULTS = { concurrency: 4, batch_size: 1024 };

/** Checks arguments, URIs and plugins. Throws `config` errors; connects nowhere. */
export async function prepareCopy(
  args: ParsedArgs,
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<PreparedCopy> {
  const ends = copyEnds(args);
  const source = parseUri(ends.source, "input", environment);
  const target = parseUri(ends.target, "output", environment);
  const filter = args.text("filter");
  const listed = args.texts("plugin").map((plugin) => ({ plugin, from: cwd }));
  const names = union(namesInUri(source, "input"), namesInUri(target, "output"), filter !== undefined);
  const registry = await loadRegistry(discoverPlugins({ listed, folder: cwd }), names);

  const input = endpointFromUri(ends.source, "input", registry, environment);
  const output = endpointFromUri(ends.target, "output", registry, environment);
  const plainInput = { ...input };
  if (filter !== undefined) addFilter(input, filter, registry);
  const draining = args.has("drain") || args.has("wait");
  const check = (from: Readonly<Endpoint>): ReturnType<typeof checked> =>
    checked(registry, {
      input: from,
      output,
      exit_on_empty: draining,
      concurrency: args.integer("concurrency"),
      batch_size: args.integer("batch-size"),
    });
  let found = check(args.has("no-resume") ? withoutPosition(input, registry) : input);
  let resume: ResumeKind = "off";
  if (args.has("resume")) {
    const id = copyIdentity({ source: plainInput, destination: output, filter }, found.plan);
    const resumed = resumeInput(input, id, registry);
    resume = resumed.kind;
    found = check(resumed.input);
  }
  return {
    registry,
    ...found,
    shown: { from: source.shown, to: target.shown },
    resume,
    warnings: warningsOf(found.plan),
    toStdout: exactJson(output).includes('"/dev/stdout"'),
    draining,
  };
}

function checked(registry: Registry, written: Record<string, unknown>): Pick<PreparedCopy, "config" | "plan"> {
  const { config, checked: route } = checkWithDefaults(registry, COPY_ROUTE, defined(written), DEFAULTS);
  const { plan } = route;
  const linted = plan ? lintRoute({ name: COPY_ROUTE, config, plan }) : [];
  const errors = [...route.problems, ...linted].filter((problem) => problem.level === "error");
  if (plan && errors.length === 0) return { config, plan };
  throw cliErrors.COPY_ROUTE({ problems: explainProblems(errors, config, registry).map(problemText) });
}

function warningsOf({ input, output }: RoutePlan): string[] {
  const warnings = topicsOf(output).map(
    (topic) => `the memory topic "${topic}" ends with this process, and nothing else reads it: its rows are gone then`,
  );
  if (output.type === "response" && input.input?.replies === false)
    warnings.push(`the source "${input.type}" takes no answers: everything that goes to "response:" is dropped`);
  return warnings;
}

/** The topics of the process that an output writes to, itself or in its parts. */
function topicsOf({ type, config, children }: ResolvedEndpoint): string[] {
  const memory = type === "memory" ? (config as { readonly topic: string; readonly ipc?: unknown }) : undefined;
  const own = memory && memory.ipc === undefined ? [memory.topic] : [];
  return [...own, ...children.flatMap(topicsOf)];
}

/** The filter touches a message first of all; only a buffer is nearer to the source. Lists are read from their end. */
function addFilter(input: Endpoint, expression: string, registry: Registry): void {
  if (!registry.expressions || !registry.middleware("filter")) throw cliErrors.FILTER_MISSING({});
  try {
    registry.expressions.predicate(expression);
  } catch (error) {
    throw cliErrors.FILTER_INVALID({ expression }, { cause: error });
  }
  const middlewares = [...((input["middlewares"] as readonly Endpoint[] | undefined) ?? [])];
  let at = middlewares.length;
  while (at > 0 && Object.hasOwn(middlewares[at - 1]!, "buffer")) at -= 1;
  middlewares.splice(at, 0, { filter: expression });
  input["middlewares"] = middlewares;
}

function problemText({ path, message, hint }: Problem): string {
  const side = path[0] === "input" ? "source" : path[0] === "output" ? "target" : undefined;
  const where = formatPath(side === undefined ? path : [side, ...path.slice(1)]);
  return `${where}: ${message}${hint === undefined ? "" : `; ${hint}`}`;
}

function union(one: Names, other: Names, expressions: boolean): Names {
  const both = (key: "endpoints" | "middlewares" | "schemes" | "stores"): Set<string> =>
    new Set([...one[key], ...other[key]]);
  const middlewares = both("middlewares");
  if (expressions) middlewares.add("filter");
  return {
    endpoints: both("endpoints"),
    middlewares,
    schemes: both("schemes"),
    stores: both("stores"),
    expressions: expressions || one.expressions || other.expressions,
  };
}

function defined(map: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).filter(([, value]) => value !== undefined));
}
