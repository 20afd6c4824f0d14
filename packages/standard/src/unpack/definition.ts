import { defineMiddleware } from "@mqb/core/plugin";
import { unpackSchema } from "./config.ts";
import { UnpackingConsumer } from "./consumer.ts";

export const unpack = defineMiddleware({
  description: "Takes packed messages, made by `pack`, apart into the messages in them",
  schema: unpackSchema,
  counterpart: "pack",
  input: (inner, settings, context) => new UnpackingConsumer(inner, settings, context),
  inputCapabilities: (inner, { format }) => ({
    ...inner,
    // One packed message takes one answer, and has one position for all that are in it.
    replies: false,
    replayablePosition: false,
    positions: false,
    stableIds: inner.stableIds && format === "mqb",
  }),
});
