import { API_VERSION, definePlugin, type Plugin } from "@mqb/core/plugin";
import { lookup } from "./definition.ts";

export type { LookupConfig } from "./config.ts";
export { errors } from "./errors.ts";

/** The middleware `lookup`. */
const plugin: Plugin = definePlugin({
  name: "@mqb/lookup",
  apiVersion: API_VERSION,
  middlewares: { lookup },
});
export default plugin;
