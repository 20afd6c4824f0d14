import { API_VERSION, definePlugin, type Plugin } from "@mqb/core/plugin";
import { atRest } from "./at-rest.ts";
import { encryption } from "./definition.ts";

export type { EncryptionConfig } from "./config.ts";
export { errors } from "./errors.ts";

/** The middleware `encryption`, and the `encryption` block of endpoints that keep files or objects. */
const plugin: Plugin = definePlugin({
  name: "@mqb/encryption",
  apiVersion: API_VERSION,
  middlewares: { encryption },
  services: { atRest },
});
export default plugin;
