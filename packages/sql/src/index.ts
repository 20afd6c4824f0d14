export type { SqlxConfig, SqlxOptions } from "./config.ts";
export type * from "./contract.ts";
export { sqlx } from "./endpoint.ts";
export { errors as sqlErrors } from "./errors.ts";
export { type SqlStoreSetup, sqlStateStore } from "./state/state-store.ts";
export { parseTableName, quoteIdentifier, type TableName } from "./table-name.ts";
export { sqlScheme } from "./uri.ts";
