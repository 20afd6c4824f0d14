import { defineEndpoint, type EndpointConfig, type OutputCapabilities } from "@mqb/core/plugin";
import * as z from "zod";
import { probeNothing } from "../structural/probe.ts";
import { ReaderPublisher } from "./publisher.ts";

const readerSchema = z
  .unknown()
  .refine((value) => value !== undefined, { error: "expected an endpoint" })
  .meta({
    description: "the endpoint that is read, with middlewares of its own",
    examples: [{ memory: { topic: "queue" } }],
    "x-mqb-endpoint": "input",
  });

export type ReaderConfig = EndpointConfig;

export const reader = defineEndpoint({
  description: "Answers each message with the next message of a source, which is acknowledged at once",
  schema: readerSchema,
  structural: true,
  output: {
    capabilities: (): OutputCapabilities => ({
      acknowledges: true,
      replies: true,
      orderedPublish: false,
      idempotent: false,
    }),
    async open(endpoint, context) {
      // In a drain, a source that does not know its end must have one too.
      const source = await context.openConsumer(endpoint, "", { draining: context.draining });
      const { draining, clock, path } = context;
      return new ReaderPublisher({ source, draining, clock, path: `${path}.reader` });
    },
  },
  probe: probeNothing,
  children: (endpoint) => [{ path: "", side: "input", endpoint }],
});
