import type { EndpointConfig, RouteConfig } from "../contract/config-types.ts";

/**
 * A configuration as a TypeScript value, checked and completed against the installed plugins. The default export of an
 * `mqb.config.ts`; what only the command reads, a library may leave out. `Name` is that of the routes.
 */
export interface BridgeConfig<Name extends string = string> {
  readonly routes: Readonly<Record<Name, RouteConfig & { readonly enabled?: boolean }>>;
  /** Endpoints by name, for `ref`. */
  readonly endpoints?: Readonly<Record<string, EndpointConfig>>;
  /** Packages or paths, for the command. */
  readonly plugins?: readonly string[];
  /** A level, or a list such as `info,kafka=debug`; for the command. */
  readonly log_level?: string;
  readonly logger?: "plain" | "json";
  /** `host:port`; for the command. */
  readonly metrics_addr?: string;
}

/** Returns its argument; gives editors the types, and the compiler every name that is misspelt. */
export function defineConfig<Name extends string>(config: BridgeConfig<Name>): BridgeConfig<Name> {
  return config;
}
