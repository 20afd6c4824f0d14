import { renderProblem, secretsOfPlans } from "@mqb/config";
import { type Bridge, createBridge, type Route, type RouteResult } from "@mqb/core";
import { describeError, type Logger } from "@mqb/core/plugin";
import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { EXIT } from "../exit.ts";
import { parseFilter } from "../log/level.ts";
import { commandLogger } from "../log/setup.ts";
import { withInstallCommands } from "../plugins/install-command.ts";
import { learnSecrets, type PreparedRun, prepareRun } from "./prepare.ts";
import { type ReadConfiguration, readConfiguration } from "./sources.ts";

const ROUTE_GRACE_MS = 5000;
const STOP_BUDGET_MS = 10_000;

/** `mqb run`, and `mqb` alone: runs the routes of a configuration until all have ended or a signal comes. */
export async function run(args: ParsedArgs, context: CommandContext): Promise<number> {
  const read = await readConfiguration(args, context.cwd, context.environment);
  const listed = args.texts("plugin").map((plugin) => ({ plugin, from: context.cwd }));
  learnSecrets(context.output.redactor, read.configuration);
  const prepared = await prepareRun(read, listed, args.has("drain"));
  const plans = prepared.routes.flatMap((route) => route.plan ?? []);
  context.output.redactor.addLater(() => secretsOfPlans(plans));
  const log = configuredLogger(read, context);
  announce(read, args, log);
  if (prepared.routes.length === 0) {
    log.warn("nothing to run: the configuration has no enabled route; waiting for a signal");
    await aborted(context.stop);
    return EXIT.ok;
  }
  const bridge = createBridge({
    registry: prepared.registry,
    endpoints: prepared.endpoints,
    log,
    clock: context.clock,
    baseDir: context.cwd,
    ...context.drainIdle,
  });
  return await runRoutes(bridge, prepared, log, context);
}

async function runRoutes(bridge: Bridge, prepared: PreparedRun, log: Logger, context: CommandContext): Promise<number> {
  const failed = new Map<string, string>();
  for (const route of prepared.routes) {
    const errors = route.problems.filter((problem) => problem.level === "error");
    if (errors.length > 0) failed.set(route.name, errors.map((problem) => renderProblem(problem)).join("; "));
    // An unreachable server keeps a lasting route connecting; a drain has to say at once that it cannot.
    else bridge.route(route.name, route.config, { unreachable: route.plan!.options.exitOnEmpty ? "fail" : "keep" });
  }
  const missing = [...failed];
  const ended = Promise.all(bridge.routes.map((route) => watch(route, log)));
  const stopping = aborted(context.stop);
  const starts = await Promise.race([bridge.start(), stopping]);
  if (starts) {
    for (const start of starts) if (start.state === "failed") failed.set(start.route, describeError(start.error));
    if (!starts.some((start) => start.state === "running")) {
      for (const start of starts)
        if (start.state === "connecting")
          failed.set(start.route, bridge.get(start.route).status().error ?? "not connected");
      await bridge.stop({ graceMs: 0 });
      throw cliErrors.NONE_STARTED({ count: prepared.routes.length, reasons: reasonsOf(failed) });
    }
    for (const [name, reason] of missing)
      log.error(`route ${name} could not be started: ${withInstallCommands(reason, context.environment)}`);
    reportStart(starts, prepared.routes.length, log);
  }
  const results = await Promise.race([ended, stopping]);
  if (!results) return await stopAll(bridge, log, context);
  for (const result of results) if (result.reason !== undefined) failed.set(result.name, result.reason);
  if (failed.size === 0) return EXIT.ok;
  throw cliErrors.ROUTES_FAILED({ reasons: reasonsOf(failed) });
}

function reportStart(
  starts: readonly { readonly route: string; readonly state: string }[],
  enabled: number,
  log: Logger,
): void {
  const running = starts.filter((start) => start.state === "running").length;
  const connecting = starts.filter((start) => start.state === "connecting").map((start) => start.route);
  if (running === enabled) log.info(`Started ${running} of ${enabled} enabled routes`);
  else
    log.warn(
      `Started ${running} of ${enabled} enabled routes`,
      connecting.length > 0 ? { connecting: connecting.join(",") } : {},
    );
}

/** How a route ended: with a reason when it did not end well. */
async function watch(route: Route, log: Logger): Promise<{ name: string; reason?: string }> {
  const result = await route.done;
  const reason = faultOf(result);
  const counts = { received: result.accounting.received, delivered: result.accounting.delivered };
  if (reason === undefined) log.info(`route ${route.name} ${result.outcome}`, counts);
  else log.error(`route ${route.name} ${result.outcome}: ${reason}`, counts);
  return { name: route.name, ...(reason === undefined ? {} : { reason }) };
}

function faultOf(result: RouteResult): string | undefined {
  if (result.outcome === "failed") return describeError(result.error);
  if (result.drops.length === 0) return undefined;
  return result.drops.map((drop) => `dropped ${drop.count} messages: ${drop.cause}`).join("; ");
}

/** Stops all routes together. When the budget is used up, the process ends without them. */
async function stopAll(bridge: Bridge, log: Logger, context: CommandContext): Promise<number> {
  log.info("stopping all routes");
  let cancel = (): void => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = context.clock.timer(STOP_BUDGET_MS, () => resolve(undefined));
  });
  const results = await Promise.race([bridge.stop({ graceMs: ROUTE_GRACE_MS }), late]);
  cancel();
  if (results) return EXIT.ok;
  log.error(`the routes did not stop within ${STOP_BUDGET_MS / 1000} s; ending without them`);
  return EXIT.failed;
}

function configuredLogger(read: ReadConfiguration, context: CommandContext): Logger {
  const { logLevel: written, logger } = read.configuration.settings;
  const filter = parseFilter(written);
  if (filter === undefined) {
    throw cliErrors.CONFIG_INVALID({
      source: read.name,
      problems: [
        `log_level: "${written}" is neither debug, info, warn, error or off, nor a list such as info,kafka=debug`,
      ],
    });
  }
  return commandLogger({ filter, format: logger }, context);
}

function announce(read: ReadConfiguration, args: ParsedArgs, log: Logger): void {
  // The bridge reports what is to be said about a single route.
  for (const problem of read.configuration.problems) if (problem.level === "warning") log.warn(renderProblem(problem));
  const { services } = read.configuration.settings;
  const switchedOff: Readonly<Record<string, string>> = { ui_addr: "no-ui", metrics_addr: "no-metrics" };
  for (const [key, address] of Object.entries(services)) {
    if (!args.has(switchedOff[key]!)) log.warn(`"${key}" is not available yet: nothing is served at ${address}`);
  }
}

function reasonsOf(failed: ReadonlyMap<string, string>): string[] {
  return [...failed].map(([name, reason]) => `route ${name}: ${reason}`);
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
