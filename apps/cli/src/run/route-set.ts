import { type ConfiguredRoute, renderProblem } from "@mqb/config";
import type { Bridge, Route, RouteResult } from "@mqb/core";
import { type AccountingSnapshot, describeError, type Logger } from "@mqb/core/plugin";
import { type Changes, compareRoutes, fingerprint } from "../reload/compare.ts";

const ROUTE_GRACE_MS = 5000;

interface Running {
  readonly route: Route;
  readonly configured: ConfiguredRoute;
  /** Resolves when it has ended: with a reason when it did not end well. */
  readonly ended: Promise<string | undefined>;
}

/** The routes that a process runs, and why others do not run. A reload changes it. */
export class RouteSet {
  private readonly bridge: Bridge;
  private readonly log: Logger;
  private readonly running = new Map<string, Running>();
  /** Why a route did not start, or did not end well. */
  readonly failed = new Map<string, string>();
  private changed: () => void = () => {};
  private told: () => void = () => {};
  private readonly firstStarts: Promise<void>;

  constructor(bridge: Bridge, log: Logger) {
    this.bridge = bridge;
    this.log = log;
    this.firstStarts = new Promise((resolve) => {
      this.told = resolve;
    });
  }

  /** To be called once, when it was said which routes have started, or when that is not to be said. */
  startsTold(): void {
    this.told();
  }

  /**
   * Makes a route, not started yet. One that cannot be made is noted as failed. A short route has ended before anybody
   * could say that it has started: its end is told after that.
   */
  add(configured: ConfiguredRoute, started: Promise<unknown> = this.firstStarts): void {
    const { name, problems } = configured;
    const errors = problems.filter((problem) => problem.level === "error");
    if (errors.length > 0) {
      this.failed.set(name, errors.map((problem) => renderProblem(problem)).join("; "));
      return;
    }
    // An unreachable server keeps a lasting route connecting; a drain has to say at once that it cannot.
    const unreachable = configured.plan!.options.exitOnEmpty ? "fail" : "keep";
    const route = this.bridge.route(name, configured.config, { unreachable });
    const ended = Promise.all([route.done, started]).then(([result]) => this.report(route, result));
    this.running.set(name, { route, configured, ended });
    this.changed();
  }

  get routes(): readonly Running[] {
    return [...this.running.values()];
  }

  /** What a new configuration asks for. What it does not name any more cannot have failed. */
  compare(wanted: readonly ConfiguredRoute[]): Changes {
    for (const name of this.failed.keys()) if (!wanted.some((route) => route.name === name)) this.failed.delete(name);
    const now = new Map(this.routes.map(({ configured }) => [configured.name, fingerprint(configured.config)]));
    return compareRoutes(now, wanted);
  }

  /** Stops and starts what differs. A changed route that cannot start goes on as it was before. */
  async apply({ added, changed, removed }: Changes): Promise<void> {
    const before = new Map(changed.map(({ name }) => [name, this.running.get(name)!.configured]));
    // What stops gives up what it holds, a file or a port, before anything else asks for it.
    await Promise.all([
      ...removed.map((name) => this.remove(name)),
      ...changed.map(({ name }) => this.running.get(name)!.route.stop({ graceMs: ROUTE_GRACE_MS })),
    ]);
    await Promise.all([
      ...changed.map((route) => this.startOr(route, before.get(route.name)!)),
      ...added.map((route) => this.start(route)),
    ]);
  }

  /** Resolves when every route has ended and nothing is left to wait for. */
  async allEnded(reloading: () => Promise<void>): Promise<void> {
    for (;;) {
      const before = this.routes;
      const change = new Promise<void>((resolve) => {
        this.changed = resolve;
      });
      if (before.length === 0) await change;
      else await Promise.race([change, Promise.all(before.map((one) => one.ended))]);
      await reloading();
      if (this.running.size > 0 && this.routes.every(({ route }) => route.hasEnded)) return;
    }
  }

  private async remove(name: string): Promise<void> {
    const { route } = this.running.get(name)!;
    await route.stop({ graceMs: ROUTE_GRACE_MS });
    this.running.delete(name);
    this.failed.delete(name);
    this.changed();
    this.log.info(`route ${name} is no longer in the configuration and was stopped`);
  }

  private async startOr(wanted: ConfiguredRoute, before: ConfiguredRoute): Promise<void> {
    if (await this.start(wanted)) return;
    this.log.warn(`route ${wanted.name} goes on as it was before`);
    await this.start(before);
  }

  private async start(configured: ConfiguredRoute): Promise<boolean> {
    const { name } = configured;
    this.failed.delete(name);
    let told = (): void => {};
    const started = new Promise<void>((resolve) => {
      told = resolve;
    });
    try {
      this.add(configured, started);
      if (this.failed.has(name)) throw new Error(this.failed.get(name));
      const state = await this.running.get(name)!.route.start();
      if (state === "running") this.log.info(`route ${name} was started`);
      else this.log.warn(`route ${name} is not connected yet, and goes on trying`);
      return true;
    } catch (error) {
      this.log.error(`route ${name} could not be started: ${describeError(error)}`);
      return false;
    } finally {
      told();
    }
  }

  private report(route: Route, result: RouteResult): string | undefined {
    const reason = faultOf(result);
    const counts = countsOf(result.accounting);
    // Why a route has failed was said already, and is said at the end.
    if (reason === undefined || result.outcome === "failed")
      this.log.info(`route ${route.name} ${result.outcome}`, counts);
    else this.log.error(`route ${route.name} ${result.outcome}: ${reason}`, counts);
    return reason;
  }

  /** Adds to `failed` what has not ended well, of the routes that still belong to the configuration. */
  async noteEnds(): Promise<void> {
    for (const { route, ended } of this.routes) {
      const reason = await ended;
      if (reason !== undefined) this.failed.set(route.name, reason);
    }
  }
}

/** What was received and delivered, and every other fate that a message had. */
function countsOf({ received, delivered, inFlight: _, ...others }: AccountingSnapshot): Record<string, number> {
  return { received, delivered, ...Object.fromEntries(Object.entries(others).filter(([, count]) => count > 0)) };
}

function faultOf(result: RouteResult): string | undefined {
  if (result.outcome === "failed") return describeError(result.error);
  if (result.drops.length === 0) return undefined;
  return result.drops.map((drop) => `dropped ${drop.count} messages: ${drop.cause}`).join("; ");
}
