import { API_VERSION, definePlugin, type Plugin } from "@mqb/core/plugin";
import { deduplication } from "./definition.ts";

export type { DeduplicationConfig, DeduplicationSettings } from "./config.ts";
export { errors } from "./errors.ts";
export { type FileReport, inspectFolder, isDamaged } from "./log/inspect.ts";
export { type Repaired, repairFolder } from "./log/repair.ts";
export type { Range } from "./log/scan.ts";
export { folderOf } from "./place.ts";

/** The middleware `deduplication`. */
const plugin: Plugin = definePlugin({
  name: "@mqb/dedup",
  apiVersion: API_VERSION,
  middlewares: { deduplication },
});
export default plugin;
