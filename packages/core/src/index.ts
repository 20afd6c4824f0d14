/** For hosts: make a registry of plugins, a bridge, and run routes. Everything that plugin authors use is here too. */

export { type Bridge, type BridgeOptions, createBridge, type StartResult } from "./bridge/bridge.ts";
export { type CheckedRoute, checkRoute, type RoutePlan } from "./config/check-route.ts";
export { defineConfig } from "./config/define-config.ts";
export { nearest, suggest } from "./config/nearest.ts";
export { formatPath, type Path } from "./config/path.ts";
export type { Problem } from "./config/problem.ts";
export { problemCodes } from "./config/problem-codes.ts";
export type { ResolvedEndpoint, ResolvedMiddleware } from "./config/resolve.ts";
export { ROUTE_FIELDS, type RouteOptions } from "./config/route-options.ts";
export { coreErrors } from "./errors/errors.ts";
export { type PluginManifest, readManifest, SUPPORTED_API_VERSIONS } from "./plugin/manifest.ts";
export * from "./plugin/registry.ts";
export * from "./plugin.ts";
export type { DropCount } from "./route/drops.ts";
export type { InferredGuarantee } from "./route/guarantee.ts";
export { Route, type RouteRunOptions, type StopOptions } from "./route/route.ts";
export type { RouteResult, RouteState, RouteStatus } from "./route/status.ts";
