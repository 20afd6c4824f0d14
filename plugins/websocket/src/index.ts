import { API_VERSION, definePlugin } from "@mqb/core/plugin";
import { websocketEndpoint } from "./endpoint.ts";
import { wsScheme, wssScheme } from "./uri.ts";

export { websocketErrors } from "./errors.ts";
export type { WebSocketConfig } from "./schema.ts";

export default definePlugin({
  name: "@mqb/websocket",
  apiVersion: API_VERSION,
  endpoints: { websocket: websocketEndpoint },
  schemes: { ws: wsScheme, wss: wssScheme },
});
