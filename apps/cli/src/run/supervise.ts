import { existsSync } from "node:fs";
import { secretsOfPlans } from "@mqb/config";
import { type Bridge, createBridge, type Registry } from "@mqb/core";
import { describeError, type Logger } from "@mqb/core/plugin";
import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { EXIT } from "../exit.ts";
import { startMetrics } from "../metrics/start.ts";
import { withInstallCommands } from "../plugins/install-command.ts";
import { fingerprint } from "../reload/compare.ts";
import { oneAtATime, watchFiles, whenQuiet } from "../reload/triggers.ts";
import { announce } from "../status/announce.ts";
import { learnSecrets, type PreparedRun, prepareRun } from "./prepare.ts";
import { RouteSet } from "./route-set.ts";
import { type ReadConfiguration, readConfiguration } from "./sources.ts";

const ROUTE_GRACE_MS = 5000;
const STOP_BUDGET_MS = 10_000;

/** A run that was read and checked. */
export interface Prepared {
  readonly read: ReadConfiguration;
  readonly run: PreparedRun;
}

/** Reads and checks what the arguments ask for; what it holds of secrets is hidden from then on. Throws `config` errors. */
export async function prepare(args: ParsedArgs, context: CommandContext): Promise<Prepared> {
  const read = await readConfiguration(args, context.cwd, context.environment);
  const listed = args.texts("plugin").map((plugin) => ({ plugin, from: context.cwd }));
  learnSecrets(context.output.redactor, read.configuration);
  const run = await prepareRun(read, listed, args.has("drain"));
  const plans = run.routes.flatMap((route) => route.plan ?? []);
  context.output.redactor.addLater(() => secretsOfPlans(plans));
  return { read, run };
}

/** Runs the routes until all have ended or a signal comes, and takes up a changed configuration meanwhile. */
export class Supervisor {
  private readonly args: ParsedArgs;
  private readonly context: CommandContext;
  private readonly log: Logger;
  private readonly bridge: Bridge;
  private readonly routes: RouteSet;
  private prepared: Prepared;
  /** Files of the configuration that were there at the start. */
  private readonly files: readonly string[];

  constructor(prepared: Prepared, args: ParsedArgs, context: CommandContext, log: Logger) {
    this.prepared = prepared;
    this.files = prepared.read.files.filter((file) => existsSync(file));
    this.args = args;
    this.context = context;
    this.log = log;
    this.bridge = createBridge({
      registry: latest(() => this.prepared.run.registry),
      endpoints: prepared.run.endpoints,
      log,
      clock: context.clock,
      baseDir: context.cwd,
      ...context.drainIdle,
    });
    this.routes = new RouteSet(this.bridge, log);
  }

  /** Resolves with the exit code. Rejects when no route could be started, and when one has not ended well. */
  async run(): Promise<number> {
    const { settings } = this.prepared.read.configuration;
    const metrics = await startMetrics(this.args, settings.services["metrics_addr"], this.bridge, this.log);
    const lease = announce(this.prepared.read, this.bridge, this.context, this.log);
    const reloads = oneAtATime(() => this.reload());
    const endings = [this.context.onHangup(() => reloads.request())];
    if (this.args.has("watch")) {
      const saves = whenQuiet(this.context.clock, () => reloads.request());
      endings.push(watchFiles(this.prepared.read.files, saves.ask), saves.end);
    }
    try {
      return await this.runRoutes(reloads.idle, () => lease?.renew());
    } finally {
      for (const end of endings) end();
      lease?.close();
      await metrics?.close();
    }
  }

  private async runRoutes(reloading: () => Promise<void>, started: () => void): Promise<number> {
    const { routes, bridge } = this;
    const wanted = this.prepared.run.routes;
    const stopping = aborted(this.context.stop);
    if (wanted.length === 0) {
      const draining = this.args.has("drain");
      const then = draining ? "nothing to drain" : "waiting for a signal";
      this.log.warn(`nothing to run: the configuration has no enabled route (mqb init writes one); ${then}`);
      if (draining) return EXIT.ok;
    }
    for (const route of wanted) routes.add(route);
    const starts = await Promise.race([bridge.start(), stopping]);
    try {
      if (starts && wanted.length > 0) await this.reportStarts(starts);
    } finally {
      routes.startsTold();
    }
    started();
    const ended = starts ? await Promise.race([routes.allEnded(reloading).then(() => true), stopping]) : undefined;
    if (!ended) return await this.stopAll();
    await routes.noteEnds();
    if (routes.failed.size === 0) return EXIT.ok;
    throw cliErrors.ROUTES_FAILED({ reasons: this.reasons() });
  }

  private async reportStarts(starts: Awaited<ReturnType<Bridge["start"]>>): Promise<void> {
    const { failed } = this.routes;
    const count = this.prepared.run.routes.length;
    const missing = [...failed];
    for (const start of starts) if (start.state === "failed") failed.set(start.route, describeError(start.error));
    if (!starts.some((start) => start.state === "running")) {
      for (const start of starts)
        if (start.state === "connecting")
          failed.set(start.route, this.bridge.get(start.route).status().error ?? "not connected");
      await this.bridge.stop({ graceMs: 0 });
      throw cliErrors.NONE_STARTED({ count, reasons: this.reasons() });
    }
    for (const [name, reason] of missing)
      this.log.error(`route ${name} could not be started: ${withInstallCommands(reason, this.context.environment)}`);
    const running = starts.filter((start) => start.state === "running").length;
    const connecting = starts.filter((start) => start.state === "connecting").map((start) => start.route);
    if (running === count) this.log.info(`Started ${running} of ${count} enabled routes`);
    else
      this.log.warn(
        `Started ${running} of ${count} enabled routes`,
        connecting.length > 0 ? { connecting: connecting.join(",") } : {},
      );
  }

  /** Takes up the configuration as it is now. When anything is wrong with it, everything goes on as before. */
  private async reload(): Promise<void> {
    if (this.context.stop.aborted) return;
    const { log } = this;
    try {
      // An editor may be between removing the file and writing it anew.
      const gone = this.files.find((file) => !existsSync(file));
      if (gone !== undefined) throw cliErrors.RELOAD_GONE({ path: gone });
      const next = await prepare(this.args, this.context);
      if (next.read.configuration.routes.length === 0 && this.routes.routes.length > 0)
        throw cliErrors.RELOAD_EMPTY({});
      const broken = next.run.routes.find((route) => route.problems.some((problem) => problem.level === "error"));
      if (broken) throw cliErrors.RELOAD_ROUTE({ route: broken.name, problems: broken.problems });
      if (fingerprint(next.run.endpoints) !== fingerprint(this.prepared.run.endpoints))
        throw cliErrors.RELOAD_ENDPOINTS({});
      this.warnOfSettings(next);
      this.prepared = next;
      const changes = this.routes.compare(next.run.routes);
      await this.routes.apply(changes);
      const { added, changed, removed, unchanged } = changes;
      log.info("configuration reloaded", {
        added: added.length,
        changed: changed.length,
        removed: removed.length,
        unchanged,
      });
    } catch (error) {
      log.error(`the configuration was not reloaded, everything goes on as before: ${describeError(error)}`);
    }
  }

  /** Settings that a running process does not take up. */
  private warnOfSettings(next: Prepared): void {
    const settingsOf = ({ read }: Prepared): Readonly<Record<string, unknown>> => {
      const { logLevel, logger, plugins, services } = read.configuration.settings;
      return { log_level: logLevel, logger, plugins, ...services };
    };
    const [before, now] = [settingsOf(this.prepared), settingsOf(next)];
    const changed = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
      (key) => fingerprint(before[key] ?? null) !== fingerprint(now[key] ?? null),
    );
    if (changed.length > 0) this.log.warn(`${changed.join(", ")} changed: that takes effect at the next start`);
  }

  /** Stops all routes together. When the budget is used up, the process ends without them. */
  private async stopAll(): Promise<number> {
    this.log.info("stopping all routes");
    let cancel = (): void => {};
    const late = new Promise<undefined>((resolve) => {
      cancel = this.context.clock.timer(STOP_BUDGET_MS, () => resolve(undefined));
    });
    const results = await Promise.race([this.bridge.stop({ graceMs: ROUTE_GRACE_MS }), late]);
    cancel();
    if (results) return EXIT.ok;
    this.log.error(`the routes did not stop within ${STOP_BUDGET_MS / 1000} s; ending without them`);
    return EXIT.failed;
  }

  private reasons(): string[] {
    return [...this.routes.failed].map(([name, reason]) => `route ${name}: ${reason}`);
  }
}

/** A registry that is always the newest: a reload may name endpoints whose plugins were not loaded before. */
function latest(current: () => Registry): Registry {
  return {
    get plugins() {
      return current().plugins;
    },
    get expressions() {
      return current().expressions;
    },
    endpoint: (name) => current().endpoint(name),
    middleware: (name) => current().middleware(name),
    store: (scheme) => current().store(scheme),
    scheme: (name) => current().scheme(name),
    service: (name) => current().service(name),
    names: (what) => current().names(what),
    packageFor: (what, name) => current().packageFor(what, name),
  };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}
