import type { ConfiguredRoute } from "@mqb/config";
import { createBridge, type RouteResult } from "@mqb/core";
import { describeError, silentLogger } from "@mqb/core/plugin";
import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { EXIT } from "../exit.ts";
import { jsonDocument } from "../json-document.ts";
import { prepare } from "../run/supervise.ts";
import { Fates, type MessageReport } from "./fates.ts";
import { canBeTried, trialRegistry } from "./registry.ts";
import { reportText } from "./text.ts";

const DEFAULT_LIMIT = 10;
/** A source that says nothing for so long has nothing for now. */
const IDLE_MS = 1000;

interface RouteReport {
  readonly route: string;
  readonly messages: readonly MessageReport[];
  /** Why the route could not go on. */
  readonly error?: string;
}

/**
 * `mqb run --dry-run`: shows for the first messages of each route what would become of them. Nothing is written to a
 * sink, nothing is acknowledged, no state is kept.
 */
export async function dryRun(args: ParsedArgs, context: CommandContext): Promise<number> {
  const { run } = await prepare(args, context);
  const limit = args.integer("limit") ?? DEFAULT_LIMIT;
  const reports: RouteReport[] = [];
  for (const route of run.routes) {
    if (context.stop.aborted) break;
    reports.push(await tryRoute(route, limit, run, context));
  }
  const { output } = context;
  if (args.has("json")) output.result(jsonDocument(reports, output.redactor));
  else output.result(output.redactor.json(reports).map(reportText).join("\n"));
  return reports.some((report) => report.error !== undefined) ? EXIT.failed : EXIT.ok;
}

async function tryRoute(
  { name, config, plan, problems }: ConfiguredRoute,
  limit: number,
  { registry, endpoints }: Awaited<ReturnType<typeof prepare>>["run"],
  context: CommandContext,
): Promise<RouteReport> {
  if (!plan) return { route: name, messages: [], error: problems.map((problem) => problem.message).join("; ") };
  if (!canBeTried(plan.input.input!)) {
    const error = describeError(cliErrors.DRY_RUN_SOURCE({ route: name, source: plan.input.type }));
    return { route: name, messages: [], error };
  }
  const fates = new Fates();
  const bridge = createBridge({
    registry: trialRegistry(registry, fates),
    endpoints,
    log: { ...silentLogger, error: (message) => fates.explain(message), warn: (message) => fates.explain(message) },
    clock: context.clock,
    baseDir: context.cwd,
    drainIdleMs: IDLE_MS,
  });
  // Middlewares that keep state in a way of their own keep none.
  bridge.local("mqb:dry-run", () => true);
  // One message at a time, so that what happens meanwhile has happened to it.
  const one = {
    ...(config as object),
    batch_size: 1,
    concurrency: 1,
    commit_concurrency_limit: 1,
    exit_on_empty: true,
  };
  const route = bridge.route(name, one);
  fates.watch(
    () => route.status().accounting,
    limit,
    () => void route.stop({ graceMs: IDLE_MS }),
  );
  const stop = (): void => void route.stop({ graceMs: 0 });
  context.stop.addEventListener("abort", stop, { once: true });
  const result = await route.start().then(
    () => route.done,
    (error: unknown): Pick<RouteResult, "outcome" | "error"> => ({ outcome: "failed", error }),
  );
  context.stop.removeEventListener("abort", stop);
  const error = result.outcome === "failed" ? describeError(result.error) : undefined;
  return { route: name, messages: fates.finish(), ...(error === undefined ? {} : { error }) };
}
