/**
 * The endpoints that are installed, by key. A plugin augments it, so that `defineConfig` completes and checks exactly
 * those: `declare module "@mqb/core/plugin" { interface EndpointConfigs { file: FileConfig } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by plugins
export interface EndpointConfigs {}

/** The middlewares that are installed, by key. Augmented by plugins. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by plugins
export interface MiddlewareConfigs {}

/** Exactly one of the keys. */
type OneOf<T> = {
  [K in keyof T]: { readonly [P in K]: T[K] } & { readonly [P in Exclude<keyof T, K>]?: never };
}[keyof T];

export type MiddlewareConfig = OneOf<MiddlewareConfigs> | { readonly custom: CustomConfig };

/** An endpoint as written in a configuration: exactly one type key, beside an optional `middlewares` list. */
export type EndpointConfig = (OneOf<EndpointConfigs> | { readonly custom: CustomConfig }) & {
  readonly middlewares?: readonly MiddlewareConfig[];
};

export interface CustomConfig {
  readonly name: string;
  /** What the registered definition takes; `{}` when that is nothing. */
  readonly config: unknown;
}

export type Guarantee = "at_most_once" | "at_least_once" | "effectively_once";

/** A route as written in a configuration. Defaults in brackets. */
export interface RouteConfig {
  readonly input: EndpointConfig;
  /** [`null`: discard] */
  readonly output?: EndpointConfig | null;
  readonly description?: string;
  /** Batches that are processed and published at the same time [1]. */
  readonly concurrency?: number;
  /** Most messages of a batch [512]; a cap, not a target. */
  readonly batch_size?: number;
  /** Batches that may wait for their commit [4096]. */
  readonly commit_concurrency_limit?: number;
  /** How long `start` waits for both endpoints [5000]; 0 = one try that must not wait. */
  readonly startup_timeout_ms?: number;
  /** First pause before a reconnect [5000]; the following ones grow, also from 0. */
  readonly reconnect_interval_ms?: number;
  /** Pause after an empty batch [10]; 0 = only yield. */
  readonly empty_batch_delay_ms?: number;
  /** Lets `random_panic` work [false]. */
  readonly allow_fault_injection?: boolean;
  /** Drain: end at the first empty batch [false]. */
  readonly exit_on_empty?: boolean;
  /** Refuse to start when the inferred guarantee is weaker. */
  readonly required_delivery?: Guarantee;
  /** Payload bytes that may be in flight before reading pauses [64 MiB]. */
  readonly max_in_flight_bytes?: number;
}
