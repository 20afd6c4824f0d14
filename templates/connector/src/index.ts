import { API_VERSION, defineEndpoint, definePlugin } from "@mqb/core/plugin";
import { pigeonholeSchema } from "./config.ts";
import { openConsumer } from "./consumer.ts";
import { openPublisher } from "./publisher.ts";

export type { PigeonholeConfig } from "./config.ts";
export { pigeonholeErrors } from "./errors.ts";

export default definePlugin({
  name: "@mqb/pigeonhole",
  apiVersion: API_VERSION,
  endpoints: {
    pigeonhole: defineEndpoint({
      description: "A folder with one file per message",
      schema: pigeonholeSchema,
      input: {
        capabilities: () => ({
          acknowledges: true,
          commitsInOrder: false,
          replies: false,
          stableIds: true,
          replayablePosition: false,
          bounded: true,
        }),
        open: openConsumer,
      },
      output: {
        capabilities: () => ({ acknowledges: true, replies: false, orderedPublish: false, idempotent: false }),
        open: openPublisher,
      },
    }),
  },
  schemes: {
    pigeonhole: { endpoint: "pigeonhole", config: ({ body }) => ({ path: body.replace(/^\/\//, "") }) },
  },
});
