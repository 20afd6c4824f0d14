import { API_VERSION, definePlugin } from "@mqb/core/plugin";
import { nats } from "./endpoint.ts";
import type { NatsOptions } from "./schema.ts";
import { natsScheme } from "./uri.ts";

export { nats } from "./endpoint.ts";
export { errors as natsErrors } from "./errors.ts";
export type { NatsConfig, NatsOptions } from "./schema.ts";

declare module "@mqb/core/plugin" {
  interface EndpointConfigs {
    nats: NatsOptions;
  }
}

export default definePlugin({
  name: "@mqb/nats",
  apiVersion: API_VERSION,
  endpoints: { nats },
  schemes: { nats: natsScheme },
});
