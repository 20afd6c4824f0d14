import { API_VERSION, definePlugin, type Plugin } from "@mqb/core/plugin";
import { aggregate } from "./definition.ts";

export type { AggregateConfig } from "./config.ts";
export { errors } from "./errors.ts";

/** The middleware `aggregate`. */
const plugin: Plugin = definePlugin({
  name: "@mqb/aggregate",
  apiVersion: API_VERSION,
  middlewares: { aggregate },
});
export default plugin;
