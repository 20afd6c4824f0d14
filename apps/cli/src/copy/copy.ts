import { secretsOfPlan } from "@mqb/config/uri";
import { type Bridge, createBridge, type Route, type RouteResult } from "@mqb/core";
import { type Clock, describeError, type Logger, sleep } from "@mqb/core/plugin";
import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { EXIT } from "../exit.ts";
import { commandLogger, everyModule } from "../log/setup.ts";
import type { Output } from "../output.ts";
import { COPY_ROUTE, type PreparedCopy, prepareCopy } from "./prepare.ts";
import { showProgress } from "./progress.ts";
import { type CopyCounts, countsOf, progressLine, rowsPhrase, summaryLine } from "./summary.ts";

const GRACE_MS = 5000;
const WAIT_POLL_MS = 250;

/** `mqb copy`: one route from the command line, run until its end. Returns the exit code. */
export async function copy(args: ParsedArgs, context: CommandContext): Promise<number> {
  const { output, environment, clock, stop } = context;
  const verbose = args.has("verbose");
  const prepared = await prepareCopy(args, context.cwd, environment);
  output.redactor.learn(prepared.config);
  output.redactor.addLater(() => secretsOfPlan(prepared.plan));
  const filter = everyModule(verbose ? "info" : "warn");
  const log = commandLogger({ filter, format: "plain", rowsOnStdout: prepared.toStdout }, context);
  const wait = args.integer("wait");
  log.info("copy route started", {
    from: prepared.shown.from,
    to: prepared.shown.to,
    filtered: args.has("filter"),
    resume: prepared.resume,
    drain: prepared.draining,
    ...(wait === undefined ? {} : { wait_secs: wait }),
  });

  for (const warning of prepared.warnings) log.warn(warning);

  const started = clock.monotonic();
  const run = new CopyRun(prepared, args.integer("limit"), log, context);
  const elapsed = (): number => clock.monotonic() - started;
  const stopProgress =
    output.terminal && !verbose
      ? showProgress(clock, () => progressLine(run.counts(), elapsed(), run.progress()), output.notice)
      : () => {};
  let result: RouteResult;
  try {
    result = await run.once();
    const deadline = started + (wait ?? 0) * 1000;
    // Only a clean end without a message is a source that is still empty.
    while (isEmptyEnd(result) && clock.monotonic() < deadline && (await sleep(clock, pause(clock, deadline), stop))) {
      result = await run.once();
    }
  } finally {
    stopProgress();
  }
  const stopped = result.outcome === "stopped" || (stop.aborted && isEmptyEnd(result));
  return report(result, stopped, elapsed(), prepared, output);
}

/** Runs the route, again and again when it is asked to; a signal stops the one that runs. */
class CopyRun {
  private readonly bridge: Bridge;
  private readonly config: unknown;
  private readonly limit: number | undefined;
  private readonly stop: AbortSignal;
  private route: Route | undefined;

  constructor(prepared: PreparedCopy, limit: number | undefined, log: Logger, context: CommandContext) {
    this.config = prepared.config;
    this.limit = limit;
    this.stop = context.stop;
    this.bridge = createBridge({
      registry: prepared.registry,
      // The last line says why the route has failed.
      log: { ...log, error: log.info },
      clock: context.clock,
      baseDir: context.cwd,
      ...context.drainIdle,
    });
  }

  async once(): Promise<RouteResult> {
    const route = this.bridge.route(COPY_ROUTE, this.config, this.limit === undefined ? {} : { limit: this.limit });
    this.route = route;
    const stopRoute = (): void => void route.stop({ graceMs: GRACE_MS });
    this.stop.addEventListener("abort", stopRoute, { once: true });
    if (this.stop.aborted) stopRoute();
    try {
      // The result tells why a start failed as well.
      await route.start().catch(() => {});
      return await route.done;
    } finally {
      this.stop.removeEventListener("abort", stopRoute);
    }
  }

  /** How far the source was read, where it knows its size. */
  progress(): { readonly position: number; readonly total: number } | undefined {
    return this.route?.status().input?.progress;
  }

  counts(): CopyCounts {
    return this.route
      ? countsOf(this.route.status().accounting)
      : { read: 0, delivered: 0, deadLettered: 0, dropped: 0 };
  }
}

function pause(clock: Clock, deadline: number): number {
  return Math.max(0, Math.min(WAIT_POLL_MS, deadline - clock.monotonic()));
}

function isEmptyEnd(result: RouteResult): boolean {
  return result.outcome === "completed" && result.accounting.received === 0;
}

function report(
  result: RouteResult,
  stopped: boolean,
  elapsedMs: number,
  prepared: PreparedCopy,
  output: Output,
): number {
  const counts = countsOf(result.accounting);
  if (prepared.toStdout && isBrokenPipe(result.error)) return EXIT.ok;
  if (result.outcome === "failed") {
    const what = `copy failed after ${rowsPhrase(counts)}: ${describeError(result.error)}`;
    output.error(new Error(what, { cause: result.error }));
    return EXIT.failed;
  }
  if (counts.dropped > 0) {
    const causes = result.drops.map((drop) => drop.cause).join("; ");
    output.error(cliErrors.COPY_DROPPED({ rows: rowsPhrase(counts), causes, delivered: counts.delivered }));
    return EXIT.failed;
  }
  const line = `${summaryLine(stopped ? "stopped after copying" : "copied", counts, elapsedMs)}\n`;
  if (prepared.toStdout) output.notice(line);
  else output.result(line);
  return EXIT.ok;
}

/** The reader of standard output has closed it: it has seen enough. */
function isBrokenPipe(error: unknown): boolean {
  for (let link = error, depth = 0; link !== undefined && link !== null && depth < 16; depth++) {
    if ((link as { code?: unknown }).code === "EPIPE") return true;
    link = (link as { cause?: unknown }).cause;
  }
  return false;
}
