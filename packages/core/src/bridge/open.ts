import { isAbsolute } from "node:path";
import { formatPath, type Path, splitPath } from "../config/path.ts";
import { Problems } from "../config/problem.ts";
import { expressionsOf, type ResolvedEndpoint, type ResolvedMiddleware, resolveEndpoint } from "../config/resolve.ts";
import type { MiddlewareContext, OpenContext, Side } from "../contract/context.ts";
import type { References } from "../contract/definition.ts";
import type { Consumer, InputCapabilities, OutputCapabilities, Publisher } from "../contract/endpoint.ts";
import type { MaybePromise } from "../contract/maybe-promise.ts";
import type { StoreContext } from "../contract/plugin.ts";
import type { StateStore } from "../contract/store.ts";
import { coreErrors } from "../errors/errors.ts";
import type { Registry } from "../plugin/registry.ts";
import { Accounting, NestedAccounting } from "../route/accounting.ts";
import { countingConsumer } from "../route/counting-consumer.ts";
import { untilIdle } from "../route/until-idle.ts";
import { orAborted } from "../route/within.ts";
import { type Closable, closeEnd } from "./close.ts";
import { getOrMake } from "./get-or-make.ts";
import type { SharedResources } from "./shared.ts";

/** What all endpoints of a bridge share. */
export interface BridgeScope extends StoreContext {
  readonly registry: Registry;
  readonly references: References;
  readonly shared: SharedResources;
  /** This long a silence of a source that does not know its end is taken for it, in a drain. */
  readonly drainIdleMs: number;
}

/** What the endpoints of one route, or of one directly opened endpoint, share. */
export interface OpenScope
  extends Pick<OpenContext, "route" | "signal" | "draining" | "allowFaultInjection" | "positions" | "accounting"> {
  readonly bridge: BridgeScope;
  /** By path; outlives reconnects. */
  readonly sessions: Map<string, Map<string, unknown>>;
}

/**
 * Opens a source with its middlewares: the last entry of the list is next to the transport. The loss accounting is directly
 * over the transport, below the middlewares, where there are some. Rejects with the signal's reason when that aborts.
 */
export async function openConsumer(resolved: ResolvedEndpoint, scope: OpenScope): Promise<Consumer> {
  const { definition, config, middlewares } = resolved;
  const opened = await unlessGivenUp(scope, () => definition.input!.open(config, contextFor(resolved, "input", scope)));
  const transport = middlewares.length > 0 ? countingConsumer(opened, scope.accounting) : opened;
  const wrap: Wrap<Consumer, InputCapabilities> = (one, inner, around) =>
    one.definition.input!(inner, one.config, around);
  return await wrapped(transport, middlewares.toReversed(), "input", scope, wrap);
}

/** Opens a sink with its middlewares: the first entry of the list is next to the transport. */
export async function openPublisher(resolved: ResolvedEndpoint, scope: OpenScope): Promise<Publisher> {
  const { definition, config, middlewares } = resolved;
  const context = { ...contextFor(resolved, "output", scope), declared: resolved.output! };
  const transport = await unlessGivenUp(scope, () => definition.output!.open(config, context));
  const wrap: Wrap<Publisher, OutputCapabilities> = (one, inner, around) =>
    one.definition.output!(inner, one.config, around);
  return await wrapped(transport, middlewares, "output", scope, wrap);
}

type Wrap<T, C> = (one: ResolvedMiddleware, inner: T, context: MiddlewareContext<C>) => MaybePromise<T>;

/** Puts middlewares around an end, one after another; closes what there is when one fails. */
async function wrapped<T extends Closable, C>(
  transport: T,
  middlewares: readonly ResolvedMiddleware[],
  side: Side,
  scope: OpenScope,
  wrap: Wrap<T, C>,
): Promise<T> {
  let end = transport;
  try {
    for (const one of middlewares) {
      const inner = end;
      const context = { ...contextFor(one, side, scope), below: one.below as C, children: one.children };
      end = await unlessGivenUp(scope, () => wrap(one, inner, context));
    }
    return end;
  } catch (error) {
    await closeEnd(end, side, scope);
    throw error;
  }
}

/** The opened end. One that opens only after the signal has aborted is closed again. */
async function unlessGivenUp<T extends Closable>({ signal }: OpenScope, open: () => MaybePromise<T>): Promise<T> {
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
  const { log, clock, baseDir, local } = bridge;
  return await found.definition.open(url, { log, clock, baseDir, local });
}

/** Checks an endpoint that is opened by itself or nested in an opened one. Throws a `config` error with every problem. */
export function resolveToOpen(endpoint: unknown, side: Side, path: Path, scope: OpenScope): ResolvedEndpoint {
  const { registry, references } = scope.bridge;
  const problems = new Problems(path);
  const resolved = resolveEndpoint(endpoint, side, { registry, references, ...scope }, problems);
  if (!resolved) throw coreErrors.INVALID_ENDPOINT({ problems: problems.errors });
  return resolved;
}

/** For an endpoint or a middleware, by where it stands and where its configuration does. */
function contextFor(of: ResolvedEndpoint | ResolvedMiddleware, side: Side, scope: OpenScope): OpenContext {
  const { bridge, sessions, ...own } = scope;
  const [name, configPath] = "type" in of ? [of.type, of.configPath] : [of.name, of.path];
  const at = formatPath(of.path);
  const child = (endpoint: unknown, childSide: Side, relative: string | Path): ResolvedEndpoint =>
    resolveToOpen(endpoint, childSide, [...configPath, ...splitPath(relative)], scope);
  // What an output reads on the side was never received by the route.
  const aside = (): Accounting => (side === "input" ? new NestedAccounting(scope.accounting) : new Accounting());
  return {
    ...own,
    path: at,
    side,
    log: bridge.log.module?.(name) ?? bridge.log,
    clock: bridge.clock,
    baseDir: bridge.baseDir,
    session: getOrMake(sessions, at, () => new Map()),
    local: bridge.local,
    share: (key, make, dispose) => bridge.shared.acquire(key, make, dispose),
    async openConsumer(endpoint, relative, { draining = false } = {}) {
      const one = child(endpoint, "input", relative);
      const around = { ...scope, accounting: aside(), draining: draining || scope.draining };
      const consumer = await openConsumer(one, around);
      return draining ? untilIdle(consumer, one, around) : consumer;
    },
    async pin(endpoint, relative) {
      const one = child(endpoint, "input", relative);
      await one.definition.pin?.(one.config, contextFor(one, "input", scope));
    },
    openPublisher: async (endpoint, relative) => openPublisher(child(endpoint, "output", relative), scope),
    openStore: (url) => openStore(url, bridge),
    reference: (name) => bridge.references.get(name),
    expressions: () => expressionsOf(bridge.registry, at),
    service: bridge.registry.service,
  };
}
