import { API_VERSION, definePlugin, type Plugin } from "@mqb/core/plugin";
import { transform } from "./definition.ts";

export type { TransformConfig } from "./config.ts";
export { errors } from "./errors.ts";

/** The middleware `transform`. */
const plugin: Plugin = definePlugin({
  name: "@mqb/transform",
  apiVersion: API_VERSION,
  middlewares: { transform },
});
export default plugin;
