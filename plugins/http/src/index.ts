import { definePlugin } from "@mqb/core/plugin";
import { http } from "./endpoint.ts";
import type { HttpOptions } from "./schema.ts";
import { httpScheme, httpsScheme } from "./uri.ts";

export { errors as httpErrors } from "./errors.ts";
export type { HttpConfig, HttpOptions } from "./schema.ts";
export { http };

declare module "@mqb/core/plugin" {
  interface EndpointConfigs {
    http: HttpOptions;
  }
}

export default definePlugin({
  name: "@mqb/http",
  apiVersion: 1,
  endpoints: { http },
  schemes: { http: httpScheme, https: httpsScheme },
});
