import { defineEndpoint, type OutputCapabilities, type Publisher } from "@mqb/core/plugin";
import * as z from "zod";

const DONE: Promise<undefined> = Promise.resolve(undefined);

const discard: Publisher = {
  send: () => DONE,
  close: () => DONE,
  status: () => ({ healthy: true, target: "null" }),
};

/** Written as `null`, or left out: the sink of a route that names none. */
export const nullEndpoint = defineEndpoint({
  description: "Discards every message",
  schema: z.strictObject({}),
  structural: true,
  output: {
    capabilities: (): OutputCapabilities => ({
      acknowledges: true,
      replies: false,
      orderedPublish: false,
      idempotent: false,
    }),
    open: () => discard,
  },
  probe: async () => [
    { check: "reachable", ok: true, detail: "there is nothing to reach: every message is discarded" },
  ],
});
