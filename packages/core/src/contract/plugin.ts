import type { OpenContext } from "./context.ts";
import type { EndpointDefinition, MiddlewareDefinition, ProbeFinding } from "./definition.ts";
import type { ExpressionCompiler } from "./expression.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import type { StateStore } from "./store.ts";
import type { SchemeDefinition } from "./uri.ts";

/** The version of these contracts. Raised by a change that old plugins do not survive; core takes it and the one before. */
export const API_VERSION = 1;

/** What a store gets when it is opened; in `local` is what stores of one name share. */
export type StoreContext = Pick<OpenContext, "log" | "clock" | "baseDir" | "local">;

/** A kind of state store, found by the scheme of its URL. */
export interface StoreDefinition {
  readonly description: string;
  /** Survives the end of the process. */
  readonly durable: boolean;
  open(url: string, context: StoreContext): MaybePromise<StateStore>;
  /** As `probe` of an endpoint. Fields that hold such a URL are marked `"x-mqb-store": true` in the schema's metadata. */
  probe?(url: string, context: Pick<StoreContext, "baseDir" | "clock">): Promise<readonly ProbeFinding[]>;
}

/** What plugins do for each other, by name. Whoever defines the contract of one augments it. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by packages
export interface PluginServices {}

/** Finds a service; undefined when no plugin brings it. */
export type FindService = <K extends keyof PluginServices>(name: K) => PluginServices[K] | undefined;

export interface PluginDefinition {
  /** The package's name, for messages. */
  readonly name: string;
  readonly apiVersion: number;
  readonly endpoints?: Readonly<Record<string, EndpointDefinition>>;
  readonly middlewares?: Readonly<Record<string, MiddlewareDefinition>>;
  /** By URL scheme, without the colon. */
  readonly stores?: Readonly<Record<string, StoreDefinition>>;
  readonly schemes?: Readonly<Record<string, SchemeDefinition>>;
  readonly expressions?: ExpressionCompiler;
  readonly services?: Partial<PluginServices>;
}

/** A plugin as a value; made by `definePlugin`, recognised by its brand so that two copies of core agree. */
export interface Plugin extends PluginDefinition {
  readonly [PLUGIN_BRAND]: true;
}

export const PLUGIN_BRAND: unique symbol = Symbol.for("mqb.plugin") as never;
