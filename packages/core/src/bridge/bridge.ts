import { type CheckedRoute, checkRoute } from "../config/check-route.ts";
import { type Clock, systemClock } from "../contract/clock.ts";
import type { References } from "../contract/definition.ts";
import type { Consumer, Publisher } from "../contract/endpoint.ts";
import { type Logger, silentLogger } from "../contract/log.ts";
import type { StateStore } from "../contract/store.ts";
import { coreErrors } from "../errors/errors.ts";
import type { Registry } from "../plugin/registry.ts";
import { Accounting } from "../route/accounting.ts";
import { Route, type RouteRunOptions, type StopOptions } from "../route/route.ts";
import type { RouteResult, RouteStatus } from "../route/status.ts";
import { type Closable, endSessions } from "./close.ts";
import { getOrMake } from "./get-or-make.ts";
import { type BridgeScope, type OpenScope, openConsumer, openPublisher, openStore, resolveToOpen } from "./open.ts";
import { SharedResources } from "./shared.ts";

export interface BridgeOptions {
  readonly registry: Registry;
  /** Default: silent. */
  readonly log?: Logger;
  readonly clock?: Clock;
  /** Relative paths in configurations are relative to this folder. Default: the working directory. */
  readonly baseDir?: string;
  /** Endpoints by name, for `ref`. */
  readonly endpoints?: Readonly<Record<string, unknown>>;
  /** How long a source without an end of its own may be silent in a drain before it counts as empty. Default 1000. */
  readonly drainIdleMs?: number;
}

/** Runs routes in this process. Routes, clients and in-process topics belong to it; nothing is global. */
export interface Bridge {
  /** Checks a route without making it. */
  check(name: string, config: unknown): CheckedRoute;
  /** Makes a route, ready to start. Throws a `config` error with every problem, or when the name is taken. */
  route(name: string, config: unknown, options?: RouteRunOptions): Route;
  /** The route of this name that was made last. Throws a `config` error that lists the names. */
  get(name: string): Route;
  readonly routes: readonly Route[];
  /** Registers an endpoint under a name, for `ref`. A name that is taken is a `config` error. */
  endpoint(name: string, config: unknown): void;
  /** Opens a sink or a source directly, without a route. The caller closes it. */
  openPublisher(config: unknown): Promise<Publisher>;
  openConsumer(config: unknown): Promise<Consumer>;
  openStore(url: string): Promise<StateStore>;
  /** What `OpenContext.local` gives its endpoints, e.g. the counters of a middleware. */
  local<T>(key: string, make: () => T): T;
  /** Starts every route that is not started yet, at the same time. One result per route; never rejects. */
  start(): Promise<readonly StartResult[]>;
  /** Stops all routes at the same time. */
  stop(options?: StopOptions): Promise<readonly RouteResult[]>;
  status(): readonly RouteStatus[];
}

export interface StartResult {
  readonly route: string;
  readonly state: "running" | "connecting" | "failed";
  readonly error?: unknown;
}

const DRAIN_IDLE_MS = 1000;

export function createBridge(options: BridgeOptions): Bridge {
  const endpoints = new Map(Object.entries(options.endpoints ?? {}));
  const references: References = { get: (name) => endpoints.get(name), names: () => [...endpoints.keys()] };
  const { clock = systemClock } = options;
  const locals = new Map<string, unknown>();
  const scope: BridgeScope = {
    registry: options.registry,
    references,
    log: options.log ?? silentLogger,
    clock,
    baseDir: options.baseDir ?? process.cwd(),
    shared: new SharedResources(clock),
    drainIdleMs: options.drainIdleMs ?? DRAIN_IDLE_MS,
    local: <T>(key: string, make: () => T): T => getOrMake(locals, key, make) as T,
  };
  const routes = new Map<string, Route>();

  return {
    check: (name, config) => checkRoute(scope.registry, name, config, references),
    route(name, config, run = {}) {
      const before = routes.get(name);
      if (before && !before.hasEnded) throw coreErrors.ROUTE_EXISTS({ route: name });
      const { plan, problems } = checkRoute(scope.registry, name, config, references);
      for (const problem of problems)
        if (problem.level === "warning") scope.log.warn(`route ${name}: ${problem.message}`, { code: problem.code });
      const errors = problems.filter((problem) => problem.level === "error");
      if (!plan) throw coreErrors.INVALID_ROUTE({ route: name, problems: errors });
      if (run.limit !== undefined && !(Number.isInteger(run.limit) && run.limit >= 1))
        throw new RangeError(`the limit of route "${name}" is a whole number from 1, not ${run.limit}`);
      const route = new Route(plan, run, scope);
      routes.set(name, route);
      return route;
    },
    get(name) {
      const route = routes.get(name);
      if (!route) throw coreErrors.NO_ROUTE({ route: name, known: [...routes.keys()] });
      return route;
    },
    get routes() {
      return [...routes.values()];
    },
    endpoint(name, config) {
      if (endpoints.has(name))
        throw coreErrors.DUPLICATE_NAME({ what: "endpoint name", name, first: "an earlier call", second: "this one" });
      endpoints.set(name, config);
    },
    async openPublisher(config) {
      const opening = (own: OpenScope) => openPublisher(resolveToOpen(config, "output", ["output"], own), own);
      const { end, close } = await openDirect(scope, opening);
      return {
        send: (batch, signal) => end.send(batch, signal),
        close,
        ...(end.flush && { flush: () => end.flush!() }),
        ...(end.status && { status: () => end.status!() }),
      };
    },
    async openConsumer(config) {
      const opening = (own: OpenScope) => openConsumer(resolveToOpen(config, "input", ["input"], own), own);
      const { end, close } = await openDirect(scope, opening);
      return {
        receive: (max, signal) => end.receive(max, signal),
        close,
        ...(end.status && { status: () => end.status!() }),
      };
    },
    openStore: (url) => openStore(url, scope),
    local: scope.local,
    start: () => Promise.all([...routes.values()].filter((route) => route.state === "idle").map(startOne)),
    stop: (stop) => Promise.all([...routes.values()].map((route) => route.stop(stop))),
    status: () => [...routes.values()].map((route) => route.status()),
  };
}

function startOne(route: Route): Promise<StartResult> {
  const failed = (error: unknown): StartResult => ({ route: route.name, state: "failed", error });
  return route.start().then((state) => ({ route: route.name, state }), failed);
}

/** An end that is opened by itself is its own route: what its session holds goes with it. */
async function openDirect<E extends Closable>(bridge: BridgeScope, opening: (scope: OpenScope) => Promise<E>) {
  const own = { signal: new AbortController().signal, accounting: new Accounting(), sessions: new Map() };
  const scope = { bridge, route: "direct", ...own, draining: false, allowFaultInjection: false, positions: false };
  try {
    const end = await opening(scope);
    // oxlint-disable-next-line typescript/no-misused-promises -- `finally` waits for what its callback returns
    return { end, close: () => end.close().finally(() => endSessions(scope)) };
  } catch (error) {
    await endSessions(scope);
    throw error;
  }
}
