import { defineEndpoint, type InputCapabilities, type OutputCapabilities } from "@mqb/core/plugin";
import { checkHttp } from "./check.ts";
import { openSink } from "./client/open.ts";
import { probeHttp } from "./probe.ts";
import { type HttpConfig, httpSchema } from "./schema.ts";
import { openSource } from "./source/open.ts";

export const http = defineEndpoint<HttpConfig>({
  description: "An HTTP server that takes requests as messages, or a client that sends messages as requests",
  schema: httpSchema,
  check: checkHttp,
  probe: probeHttp,
  children: ({ stream_response_to: to }, side) =>
    side === "output" && to !== undefined ? [{ path: "stream_response_to", side: "output", endpoint: to }] : [],
  input: {
    capabilities: (config): InputCapabilities => ({
      // The client is told, and sends it again.
      acknowledges: !config.fire_and_forget,
      ...(config.fire_and_forget ? { acknowledgesWith: "fire_and_forget: false" } : {}),
      commitsInOrder: false,
      replies: !config.fire_and_forget,
      stableIds: false,
      replayablePosition: false,
      bounded: false,
    }),
    open: openSource,
  },
  output: {
    capabilities: (config): OutputCapabilities => ({
      acknowledges: true,
      replies: config.stream_response_to === undefined,
      orderedPublish: false,
      idempotent: false,
    }),
    open: openSink,
  },
});
