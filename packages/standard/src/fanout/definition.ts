import { defineEndpoint, type OpenContext } from "@mqb/core/plugin";
import { combined } from "../structural/capabilities.ts";
import { openAll } from "../structural/ends.ts";
import { probeNothing } from "../structural/probe.ts";
import { fanoutSchema } from "./config.ts";
import { FanoutPublisher } from "./publisher.ts";
import { Taken } from "./taken.ts";

export const fanout = defineEndpoint({
  description: "Sends every message to each of several endpoints",
  schema: fanoutSchema,
  structural: true,
  output: {
    capabilities: (_, { children }) => combined(children),
    async open(legs, context) {
      const { route, clock, log } = context;
      const opened = await openAll(legs.map((leg, index) => context.openPublisher(leg, `[${index}]`)));
      return new FanoutPublisher({ legs: opened, taken: takenIn(context), route, clock, log });
    },
  },
  probe: probeNothing,
  children: (legs) => legs.map((endpoint, index) => ({ path: `[${index}]`, side: "output", endpoint })),
});

const TAKEN = "fanout taken";

/** Outlives a reconnect of the route: that is when messages come again. */
function takenIn({ session }: OpenContext): Taken {
  const taken = (session.get(TAKEN) as Taken | undefined) ?? new Taken();
  session.set(TAKEN, taken);
  return taken;
}
