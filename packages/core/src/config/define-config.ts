import type { EndpointConfig, RouteConfig } from "../contract/config-types.ts";

/** A configuration as a TypeScript value, checked and completed against the installed plugins. */
export interface BridgeConfig {
  readonly routes: Readonly<Record<string, RouteConfig>>;
  /** Endpoints by name, for `ref`. */
  readonly endpoints?: Readonly<Record<string, EndpointConfig>>;
}

/** Returns its argument; gives editors the types. */
export function defineConfig<const C extends BridgeConfig>(config: C): C {
  return config;
}
