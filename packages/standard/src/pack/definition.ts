import { defineMiddleware } from "@mqb/core/plugin";
import { packSchema } from "./config.ts";
import { packPublisher } from "./publisher.ts";

export const pack = defineMiddleware({
  description: "Combines the messages of a batch into few packed messages, which `unpack` takes apart again",
  schema: packSchema,
  counterpart: "unpack",
  output: packPublisher,
  // One answer cannot be that to many messages.
  outputCapabilities: (inner) => ({ ...inner, replies: false }),
});
