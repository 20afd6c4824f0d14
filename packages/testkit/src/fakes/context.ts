import { tmpdir } from "node:os";
import {
  Accounting,
  type ChildEndpoint,
  type Clock,
  type InputCapabilities,
  type Logger,
  type MiddlewareContext,
  type OpenContext,
  type OutputCapabilities,
  type Plugin,
  type Side,
  type StateStore,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { FakeClock } from "./clock.ts";
import { type RecordingLogger, recordingLogger } from "./logger.ts";
import { openConsumer, openPublisher, pin } from "./nested.ts";
import { INPUT, OUTPUT } from "./plugin.ts";
import { FakeScope } from "./scope.ts";
import { FakeStateStore } from "./state-store.ts";

/** An `OpenContext` with a fake clock and a recording logger, unless the test gives others. */
export interface FakeContext<C extends Clock = FakeClock, L extends Logger = RecordingLogger>
  extends MiddlewareContext<FakeCapabilities> {
  readonly clock: C;
  readonly log: L;
  readonly scope: FakeScope;
  /** Aborts `signal`, as the route does when a start is given up. */
  abort(reason?: unknown): void;
}

/** Of either side, so that one context opens middlewares on both. */
export type FakeCapabilities = InputCapabilities & OutputCapabilities;

export interface FakeContextOverrides<C extends Clock, L extends Logger>
  extends Partial<Omit<OpenContext, "clock" | "log">> {
  /** What is declared by the end that a middleware wraps: what differs from a `fakePlugin`'s. */
  readonly below?: Partial<FakeCapabilities>;
  /** What is declared by the endpoints that are nested in a middleware's configuration [none]. */
  readonly children?: FakeContext["children"];
  readonly clock?: C;
  readonly log?: L;
  /** Contexts with the same scope share `local` and `share`, like the routes of one bridge. */
  readonly scope?: FakeScope;
  /** Where nested endpoints, stores and the expression compiler are looked up. */
  readonly plugins?: readonly Plugin[];
  /** What `reference` finds. */
  readonly references?: Readonly<Record<string, unknown>>;
}

/**
 * A whole `OpenContext` for opening an endpoint or a middleware without a route. Everything works: `local` and `share`
 * keep what they are given, nested endpoints and stores come from `plugins`, the URL `memory:` is a store of the scope.
 */
export function fakeContext<C extends Clock = FakeClock, L extends Logger = RecordingLogger>(
  overrides: FakeContextOverrides<C, L> = {},
): FakeContext<C, L> {
  const { scope = new FakeScope(), plugins = [], references = {}, signal, below, ...rest } = overrides;
  const clock = overrides.clock ?? (new FakeClock() as Clock as C);
  const log = overrides.log ?? (recordingLogger() as Logger as L);
  const given = new AbortController();
  const context: FakeContext<C, L> = {
    route: "test",
    path: "input",
    side: "input",
    baseDir: tmpdir(),
    draining: false,
    accounting: new Accounting(),
    allowFaultInjection: false,
    positions: false,
    session: new Map(),
    local: (key, make) => scope.local(key, make),
    share: (key, make, dispose) => scope.share(key, make, dispose),
    openConsumer: (endpoint, path, { draining = false } = {}) => {
      const around = nestedContext(context, "input", path);
      return openConsumer(plugins, endpoint, { ...around, draining: draining || around.draining });
    },
    pin: (endpoint, path) => pin(plugins, endpoint, nestedContext(context, "input", path)),
    openPublisher: (endpoint, path) => openPublisher(plugins, endpoint, nestedContext(context, "output", path)),
    openStore: async (url) => openStore(url, plugins, scope, context),
    reference: (name) => (Object.hasOwn(references, name) ? references[name] : undefined),
    expressions() {
      const compiler = plugins.find((plugin) => plugin.expressions)?.expressions;
      if (!compiler) throw errors.NO_EXPRESSIONS({});
      return compiler;
    },
    service: (name) => plugins.find((plugin) => plugin.services?.[name])?.services?.[name],
    children: [],
    ...rest,
    below: { ...INPUT, ...OUTPUT, ...below },
    clock,
    log,
    scope,
    signal: signal ? AbortSignal.any([signal, given.signal]) : given.signal,
    abort: (reason) => given.abort(reason),
  };
  return context;
}

/** The context of a nested endpoint: its own place in the route, and a session that lasts as long as its owner's. */
function nestedContext<C extends OpenContext>(owner: C, side: Side, steps: ChildEndpoint["path"]): C {
  const path = [steps].flat().join(".");
  const key = `nested ${side} ${path}`;
  let session = owner.session.get(key) as Map<string, unknown> | undefined;
  if (!session) owner.session.set(key, (session = new Map()));
  return { ...owner, side, path: path.startsWith("[") ? owner.path + path : `${owner.path}.${path}`, session };
}

async function openStore(
  url: string,
  plugins: readonly Plugin[],
  scope: FakeScope,
  context: OpenContext,
): Promise<StateStore> {
  const scheme = url.slice(0, url.indexOf(":"));
  for (const plugin of plugins) {
    const definition = plugin.stores?.[scheme];
    if (definition) return definition.open(url, context);
  }
  if (scheme !== "memory") throw errors.UNKNOWN_STORE({ url });
  return scope.local(`testkit store ${url}`, () => new FakeStateStore(context.clock)).view();
}
