import { defineEndpoint, type OutputCapabilities, type Publisher, replied } from "@mqb/core/plugin";
import * as z from "zod";

const publisher: Publisher = {
  send: async (batch) => Array.from(batch, replied),
  close: async () => {},
  status: () => ({ healthy: true, target: "response" }),
};

/** The sender of each message gets the message itself as the answer. */
export const response = defineEndpoint({
  description: "Answers the sender of each message with the message itself",
  schema: z.strictObject({}).meta({ "x-mqb-answers": true }),
  structural: true,
  output: {
    capabilities: (): OutputCapabilities => ({
      acknowledges: true,
      replies: true,
      orderedPublish: false,
      idempotent: false,
    }),
    open: () => publisher,
  },
  probe: async () => [
    { check: "reachable", ok: true, detail: "there is nothing to reach: the input takes the answers" },
  ],
});
