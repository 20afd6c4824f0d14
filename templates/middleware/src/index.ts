import { API_VERSION, defineMiddleware, definePlugin } from "@mqb/core/plugin";
import { postmarkSchema } from "./config.ts";
import { markReceived, markSent } from "./postmark.ts";

export type { PostmarkConfig } from "./config.ts";

export default definePlugin({
  name: "@mqb/postmark",
  apiVersion: API_VERSION,
  middlewares: {
    postmark: defineMiddleware({
      description: "Marks messages in their metadata, and can drop those that carry the mark already",
      schema: postmarkSchema,
      input: markReceived,
      output: markSent,
    }),
  },
});
