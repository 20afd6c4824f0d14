import { API_VERSION, definePlugin, type Plugin } from "@mqb/core/plugin";
import { otel } from "./definition.ts";

export type { OtelConfig } from "./config.ts";

/** The middleware `otel`. */
const plugin: Plugin = definePlugin({
  name: "@mqb/otel",
  apiVersion: API_VERSION,
  middlewares: { otel },
});
export default plugin;
