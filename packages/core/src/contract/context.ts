import type { Path } from "../config/path.ts";
import type { Accounting } from "../route/accounting.ts";
import type { Clock } from "./clock.ts";
import type { ResolvedChild } from "./definition.ts";
import type { Consumer, OutputCapabilities, Publisher } from "./endpoint.ts";
import type { ExpressionCompiler } from "./expression.ts";
import type { Logger } from "./log.ts";
import type { FindService } from "./plugin.ts";
import type { StateStore } from "./store.ts";

/** What an endpoint or middleware gets when it is opened. One object per opening; valid until its `close`. */
export interface OpenContext {
  /** The route's name. */
  readonly route: string;
  /** Where in the route it stands, e.g. `output.middlewares[0].dlq.endpoint`. */
  readonly path: string;
  readonly side: Side;
  /** Of an output endpoint: what it was declared to be able to do when it was checked, its middlewares worked in. */
  readonly declared?: OutputCapabilities;
  /** Aborted when the start is given up, and after both ends of the route were closed: stop connecting. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock: Clock;
  /** Relative paths of the configuration are relative to this folder. */
  readonly baseDir: string;
  /** The route ends at the first empty batch (`exit_on_empty`, `--drain`). */
  readonly draining: boolean;
  /** The output of the route names what it writes by source positions: stamp each message with its own (`mqb.src.*`). */
  readonly positions: boolean;
  /** For middlewares of the input that take messages out of a batch or make several of one; counts until the close. */
  readonly accounting: Accounting;
  /** The route's `allow_fault_injection`. */
  readonly allowFaultInjection: boolean;
  /**
   * Kept for this place of the route from its start to its end, across reconnects: a source without a durable position
   * remembers here how far it was acked. Values that have `Symbol.asyncDispose` are disposed of at that end, after the
   * last close, within two seconds each: a stream that must stay open over reconnects, for instance.
   */
  readonly session: Map<string, unknown>;
  /** One value per key and bridge, made by whoever asks first: in-process topics and other shared state. */
  local<T>(key: string, make: () => T): T;
  /**
   * One resource per key and bridge while somebody holds it, e.g. a client per identical connection settings (never by
   * topic or table). Concurrent callers wait for one `make`; a failed `make` is not kept. `dispose` runs when the last
   * holder has released.
   */
  share<T>(key: string, make: () => Promise<T>, dispose: (value: T) => Promise<void>): Promise<Shared<T>>;
  /**
   * Opens an endpoint nested in this one's configuration. `path` is relative, as of its `ChildEndpoint`. With `draining`
   * it is read to its end: `receive` resolves empty there, or after a silence where the source does not know its end.
   */
  openConsumer(endpoint: unknown, path: string | Path, options?: { readonly draining?: boolean }): Promise<Consumer>;
  /** As `EndpointDefinition.pin` of an endpoint nested in this one's configuration; nothing where it has none. */
  pin(endpoint: unknown, path: string | Path): Promise<void>;
  openPublisher(endpoint: unknown, path: string | Path): Promise<Publisher>;
  /** Opens a state store by URL, e.g. `file:///var/lib/mqb/state.json` or `memory:`. */
  openStore(url: string): Promise<StateStore>;
  /** The endpoint registered under a name, as written; undefined when there is none. */
  reference(name: string): unknown;
  /** The expression compiler. Throws a `config` error that names the package to install when there is none. */
  expressions(): ExpressionCompiler;
  readonly service: FindService;
}

/** What a middleware gets when it is opened. */
export interface MiddlewareContext<Capabilities> extends OpenContext {
  /** What the end that it wraps can do; the middlewares below this one are worked in. */
  readonly below: Capabilities;
  /** The endpoints nested in its configuration, as its definition names them: what they were declared to be able to do. */
  readonly children: readonly Pick<ResolvedChild, "type" | "input" | "output">[];
}

export type Side = "input" | "output";

/** A held resource of `OpenContext.share`. */
export interface Shared<T> {
  readonly value: T;
  /** Idempotent. */
  release(): Promise<void>;
}
