/** For authors of endpoints, middlewares and state stores: `definePlugin` and the contracts. */

export { isMap } from "./config/value-type.ts";
export type * from "./contract/checkpoint.ts";
export * from "./contract/clock.ts";
export * from "./contract/config-types.ts";
export * from "./contract/context.ts";
export * from "./contract/definition.ts";
export * from "./contract/disposition.ts";
export * from "./contract/endpoint.ts";
export * from "./contract/expression.ts";
export * from "./contract/log.ts";
export type * from "./contract/maybe-promise.ts";
export * from "./contract/plugin.ts";
export * from "./contract/schema.ts";
export * from "./contract/store.ts";
export * from "./contract/uri.ts";
export * from "./errors/mqb-error.ts";
export * from "./errors/table.ts";
export * from "./message/batch.ts";
export * from "./message/id.ts";
export * from "./message/message.ts";
export { defineEndpoint, defineMiddleware, definePlugin } from "./plugin/define.ts";
export { Accounting, type AccountingSnapshot, type Ending } from "./route/accounting.ts";
export type { Handler } from "./route/handler.ts";
