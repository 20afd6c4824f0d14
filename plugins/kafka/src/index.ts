import { API_VERSION, definePlugin } from "@mqb/core/plugin";
import { kafka } from "./endpoint.ts";
import type { KafkaOptions } from "./schema.ts";
import { kafkaScheme } from "./uri.ts";

export { kafkaErrors } from "./errors.ts";
export type { KafkaConfig, KafkaOptions } from "./schema.ts";

declare module "@mqb/core/plugin" {
  interface EndpointConfigs {
    readonly kafka: KafkaOptions;
  }
}

export default definePlugin({
  name: "@mqb/kafka",
  apiVersion: API_VERSION,
  endpoints: { kafka },
  schemes: { kafka: kafkaScheme },
});
