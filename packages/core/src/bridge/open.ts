import { isAbsolute } from "node:path";
import { Problems } from "../config/problem.ts";
import { type ResolvedEndpoint, resolveEndpoint, splitPath } from "../config/resolve.ts";
import type { Clock } from "../contract/clock.ts";
import type { OpenContext, Side } from "../contract/context.ts";
import type { References } from "../contract/definition.ts";
import type { Consumer, Publisher } from "../contract/endpoint.ts";
import type { Logger } from "../contract/log.ts";
import type { MaybePromise } from "../contract/maybe-promise.ts";
import type { StateStore } from "../contract/store.ts";
import { coreErrors, formatPath } from "../errors/errors.ts";
import type { Registry } from "../plugin/registry.ts";
import { Accounting, NestedAccounting } from "../route/accounting.ts";
import { countingConsumer } from "../route/counting-consumer.ts";
import { orAborted } from "../route/within.ts";
import { closeEnd } from "./close.ts";
import type { SharedResources } from "./shared.ts";

/** What all endpoints of a bridge share. */
export interface BridgeScope {
  readonly registry: Registry;
  readonly references: References;
  readonly log: Logger;
  readonly clock: Clock;
  readonly baseDir: string;
  readonly shared: SharedResources;
  readonly locals: Map<string, unknown>;
}

/** What the endpoints of one route, or of one directly opened endpoint, share. */
export interface OpenScope {
  readonly bridge: BridgeScope;
  readonly route: string;
  readonly signal: AbortSignal;
  readonly draining: boolean;
  readonly allowFaultInjection: boolean;
  readonly positions: boolean;
  readonly accounting: Accounting;
  /** By path; outlives reconnects. */
  readonly sessions: Map<string, Map<string, unknown>>;
}

/**
 * Opens a source with its middlewares: the last entry of the list is next to the transport. `count` puts the loss
 * accounting directly over the transport, below the middlewares. Rejects with the signal's reason when that aborts.
 */
export async function openConsumer(resolved: ResolvedEndpoint, scope: OpenScope, count = false): Promise<Consumer> {
  const { definition, config, middlewares } = resolved;
  let consumer = await unlessGivenUp(scope, () => definition.input!.open(config, contextOf(resolved, "input", scope)));
  if (count) consumer = countingConsumer(consumer, scope.accounting);
  try {
    for (const { definition, config, path } of middlewares.toReversed()) {
      const inner = consumer;
      const context = contextFor(path, path, "input", scope);
      consumer = await unlessGivenUp(scope, () => definition.input!(inner, config, context));
    }
    return consumer;
  } catch (error) {
    await closeEnd(consumer, "input", scope.route, scope.bridge);
    throw error;
  }
}

/** Opens a sink with its middlewares: the first entry of the list is next to the transport. */
export async function openPublisher(resolved: ResolvedEndpoint, scope: OpenScope): Promise<Publisher> {
  const { definition, config, middlewares } = resolved;
  const context = contextOf(resolved, "output", scope);
  let publisher = await unlessGivenUp(scope, () => definition.output!.open(config, context));
  try {
    for (const { definition, config, path } of middlewares) {
      const inner = publisher;
      const context = contextFor(path, path, "output", scope);
      publisher = await unlessGivenUp(scope, () => definition.output!(inner, config, context));
    }
    return publisher;
  } catch (error) {
    await closeEnd(publisher, "output", scope.route, scope.bridge);
    throw error;
  }
}

/** The opened end. One that opens only after the signal has aborted is closed again. */
async function unlessGivenUp<T extends { close(): Promise<void> }>(
  { signal }: OpenScope,
  open: () => MaybePromise<T>,
): Promise<T> {
  const opening = (async () => await open())();
  try {
    return await orAborted(opening, signal);
  } catch (error) {
    if (signal.aborted) opening.then((late) => late.close()).catch(() => {});
    throw error;
  }
}

/** Opens a state store of the bridge's plugins by its URL. A bare path is a `file:` URL. */
export async function openStore(url: string, bridge: BridgeScope): Promise<StateStore> {
  const scheme = isAbsolute(url) ? "file" : (/^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? "file");
  const found = bridge.registry.store(scheme);
  if (!found) {
    const install = bridge.registry.packageFor("store", scheme);
    throw coreErrors.NO_STORE({ scheme, known: bridge.registry.names("store"), ...(install ? { install } : {}) });
  }
  return await found.definition.open(url, { log: bridge.log, clock: bridge.clock, baseDir: bridge.baseDir });
}

/** Checks an endpoint that is opened by itself or nested in an opened one. Throws a `config` error with every problem. */
export function resolveToOpen(
  endpoint: unknown,
  side: Side,
  path: readonly (string | number)[],
  scope: OpenScope,
): ResolvedEndpoint {
  const { bridge, route, draining, allowFaultInjection } = scope;
  const { registry, references } = bridge;
  const problems = new Problems(path);
  const around = { registry, references, route, draining, allowFaultInjection };
  const resolved = resolveEndpoint(endpoint, side, around, problems);
  if (!resolved) throw coreErrors.INVALID_ENDPOINT({ problems: problems.errors });
  return resolved;
}

function contextOf(resolved: ResolvedEndpoint, side: Side, scope: OpenScope): OpenContext {
  return contextFor(resolved.path, resolved.configPath, side, scope);
}

function contextFor(
  path: readonly (string | number)[],
  configPath: readonly (string | number)[],
  side: Side,
  scope: OpenScope,
): OpenContext {
  const { bridge } = scope;
  const at = formatPath(path);
  const child = (endpoint: unknown, childSide: Side, relative: string): ResolvedEndpoint =>
    resolveToOpen(endpoint, childSide, [...configPath, ...splitPath(relative)], scope);
  const nested = (childSide: Side): OpenScope => {
    if (childSide === "output") return scope;
    // What an output reads on the side was never received by the route.
    return { ...scope, accounting: side === "input" ? new NestedAccounting(scope.accounting) : new Accounting() };
  };
  return {
    route: scope.route,
    path: at,
    side,
    signal: scope.signal,
    log: bridge.log,
    clock: bridge.clock,
    baseDir: bridge.baseDir,
    draining: scope.draining,
    allowFaultInjection: scope.allowFaultInjection,
    positions: scope.positions,
    accounting: scope.accounting,
    session: getOrMake(scope.sessions, at, () => new Map()),
    local: <T>(key: string, make: () => T): T => getOrMake(bridge.locals, key, make) as T,
    share: (key, make, dispose) => bridge.shared.acquire(key, make, dispose),
    openConsumer: async (endpoint, relative) => openConsumer(child(endpoint, "input", relative), nested("input")),
    openPublisher: async (endpoint, relative) => openPublisher(child(endpoint, "output", relative), nested("output")),
    openStore: (url) => openStore(url, bridge),
    reference: (name) => bridge.references.get(name),
    expressions: () => {
      if (!bridge.registry.expressions) throw coreErrors.NO_EXPRESSIONS({ path: at });
      return bridge.registry.expressions;
    },
  };
}

function getOrMake<V>(map: Map<string, V>, key: string, make: () => V): V {
  if (!map.has(key)) map.set(key, make());
  return map.get(key) as V;
}
