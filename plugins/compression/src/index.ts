import { API_VERSION, definePlugin, type Plugin } from "@mqb/core/plugin";
import { compression } from "./definition.ts";

export type { CompressionConfig } from "./config.ts";
export { errors } from "./errors.ts";

/** The middleware `compression`. */
const plugin: Plugin = definePlugin({
  name: "@mqb/compression",
  apiVersion: API_VERSION,
  middlewares: { compression },
});
export default plugin;
