import type { Checkpoint, CheckpointContext } from "./checkpoint.ts";
import type { MiddlewareContext, OpenContext, Side } from "./context.ts";
import type { Consumer, InputCapabilities, OutputCapabilities, Publisher } from "./endpoint.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { ConfigSchema } from "./schema.ts";

/** An endpoint nested in a configuration, as the user wrote it. */
export interface ChildEndpoint {
  /** Where it stands, relative to its owner: `endpoint`, `[0].to`; as steps where a key may hold a dot: `["cases", key]`. */
  readonly path: string | readonly (string | number)[];
  readonly side: Side;
  readonly endpoint: unknown;
}

/** Looks up an endpoint that the host registered under a name; undefined when there is none. */
export interface References {
  get(name: string): unknown;
  names(): readonly string[];
}

/** A checked child with its declared capabilities; those of its middlewares are worked in. */
export interface ResolvedChild extends ChildEndpoint {
  readonly type: string;
  readonly input?: InputCapabilities;
  readonly output?: OutputCapabilities;
}

/** A fault or remark that a definition finds in a configuration of the right shape. */
export interface Finding {
  /** A `note` says what is good to know, such as a setting without effect. */
  readonly level: "error" | "warning" | "note";
  /** Relative to the endpoint's or middleware's configuration; empty = the whole of it. */
  readonly path: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** `expressions`: compile them in `check`, so that a wrong one is found before the start. */
export interface CheckContext extends Pick<OpenContext, "expressions" | "service"> {
  readonly side: Side;
  /** The route's name; fills in for an absent topic, queue or collection. */
  readonly route: string;
  readonly draining: boolean;
  readonly allowFaultInjection: boolean;
  /** Names in the `middlewares` list that it stands in or beside, in written order. */
  readonly middlewares: readonly string[];
  readonly children: readonly ResolvedChild[];
}

/** What a look at a system needs to know; no route runs. `signal` aborts when nobody waits any longer. */
export type ProbeContext = Pick<
  OpenContext,
  "route" | "path" | "side" | "signal" | "log" | "clock" | "baseDir" | "service"
>;

/** One thing that `mqb doctor` has looked at. Holds no secret. */
export interface ProbeFinding {
  /** What: `reachable`, `credentials`, `exists`, `readable`, `writable`, `space`, `clock`, …; one word. */
  readonly check: string;
  readonly ok: boolean;
  /** What was seen, in words: `topic orders has 12 partitions`. */
  readonly detail: string;
  /** What to do about it, when it is not ok. */
  readonly hint?: string;
  /** The server's time when it was asked, Unix milliseconds: whoever shows the finding compares it with the own clock. */
  readonly serverTime?: number;
  /** The same text for the same file, topic or table, whoever looks at it: shows a route that reads what it writes. */
  readonly identity?: string;
}

/** One side of a kind of endpoint. */
export interface EndpointSide<C, Capabilities, End> {
  capabilities(config: C, context: CheckContext): Capabilities;
  /** Connects; rejects with `connection` or `config` errors. Called at start and at every reconnect. */
  open(config: C, context: OpenContext): MaybePromise<End>;
}

/**
 * A kind of endpoint. Declared once; validation, JSON Schema, docs, URI parameters, the delivery guarantee and the
 * conformance suite all read it. The methods other than `open…` are pure and called at any time; an mqb error that
 * they throw is a problem of the configuration.
 */
export interface EndpointDefinition<C = unknown> {
  readonly description: string;
  readonly schema: ConfigSchema<C>;
  /** Other spellings of its key. */
  readonly aliases?: readonly string[];
  /** Several plugins bring it, each with a part of what it can do (a database of `sqlx`); the first one's is taken. */
  readonly shared?: true;
  /** Composes other endpoints or shapes routing, instead of talking to a system. */
  readonly structural?: boolean;
  /** A field that takes the route's name when it is absent. */
  readonly nameField?: string;
  readonly input?: EndpointSide<C, InputCapabilities, Consumer>;
  readonly output?: EndpointSide<C, OutputCapabilities, Publisher>;
  /**
   * For sources that can go on where an earlier `mqb copy --resume` ended: the configuration as written, with the fields
   * that keep its position under `id` (a consumer group, a cursor); what the user gave wins. The same object = the source
   * keeps its position by itself. Without an `id` (`--no-resume`): without what would read or keep a position that is
   * optional. Throws a `config` error when this configuration cannot resume.
   */
  resume?(written: Readonly<Record<string, unknown>>, id: string | undefined): Readonly<Record<string, unknown>>;
  /** For sources that keep a position outside of what they read; undefined = this configuration keeps none. Opens nothing yet. */
  checkpoint?(config: C, context: CheckpointContext): Checkpoint | undefined;
  /**
   * Makes the source keep everything from now on until a consumer of this configuration is opened, which begins here: a
   * `sequence` asks it of its later phases before it reads the first one. Asked again it changes nothing. For sources that
   * forget what nobody reads.
   */
  pin?(config: C, context: OpenContext): Promise<void>;
  /** The nested endpoints of a configuration, so that they are checked with it. */
  children?(config: C, side: Side, references: References): readonly ChildEndpoint[];
  /** Checks beyond the shape. Offline: touches no network; may look at local files only to read. */
  check?(config: C, context: CheckContext): readonly Finding[];
  /**
   * Looks whether this configuration would work, for `mqb doctor`: connects, writes and changes nothing, takes no message,
   * leaves nothing open. What it meets is a finding, not an error: only `signal` makes it reject. Nested endpoints are
   * looked at by themselves. At most once per endpoint and call of the command.
   */
  probe?(config: C, context: ProbeContext): Promise<readonly ProbeFinding[]>;
}

/** A kind of middleware: a decorator around one consumer or one publisher. A side it does not offer is a start error. */
export interface MiddlewareDefinition<C = unknown> {
  readonly description: string;
  readonly schema: ConfigSchema<C>;
  readonly aliases?: readonly string[];
  /** The middleware that undoes it on the other side, when it works on one only; for messages. */
  readonly counterpart?: string;
  /**
   * When `receive`, `commit` or `send` has resolved, nothing of it refers to the batch that went through, a message of it
   * or their bytes; on an input it hands the `release` of a delivery on.
   */
  readonly keepsNothing?: boolean;
  input?(inner: Consumer, config: C, context: MiddlewareContext<InputCapabilities>): MaybePromise<Consumer>;
  output?(inner: Publisher, config: C, context: MiddlewareContext<OutputCapabilities>): MaybePromise<Publisher>;
  /** What it changes in the capabilities of what it wraps; left out = nothing. */
  inputCapabilities?(inner: InputCapabilities, config: C): InputCapabilities;
  outputCapabilities?(inner: OutputCapabilities, config: C): OutputCapabilities;
  children?(config: C, side: Side, references: References): readonly ChildEndpoint[];
  check?(config: C, context: CheckContext): readonly Finding[];
}
