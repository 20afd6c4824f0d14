import { type CheckContext, defineEndpoint, type Finding, isMqbError, type OpenContext } from "@mqb/core/plugin";
import { combined } from "../structural/capabilities.ts";
import { openAll } from "../structural/ends.ts";
import { probeNothing } from "../structural/probe.ts";
import { type SwitchSettings, switchSchema } from "./config.ts";
import { destinationsOf } from "./destinations.ts";
import { SwitchPublisher } from "./publisher.ts";
import { routerOf } from "./router.ts";

export const switchEndpoint = defineEndpoint({
  description: "Sends each message to one of several endpoints, by a metadata value or by expressions",
  schema: switchSchema,
  structural: true,
  output: {
    capabilities: (_, { children }) => combined(children),
    open,
  },
  probe: probeNothing,
  children: destinationsOf,
  check,
});

async function open(settings: SwitchSettings, context: OpenContext): Promise<SwitchPublisher> {
  const { route, clock, log, draining } = context;
  const router = routerOf(settings, () => context.expressions());
  const children = destinationsOf(settings);
  const opened = await openAll(children.map(({ endpoint, path }) => context.openPublisher(endpoint, path)));
  const destinations = new Map(children.map(({ path }, index) => [[path].flat().join("."), opened[index]!]));
  return new SwitchPublisher({ router, destinations, route, clock, log, draining });
}

/** Compiles every expression; what is wrong with one is said where it stands. */
function check({ when }: SwitchSettings, context: CheckContext): Finding[] {
  return (when ?? []).flatMap((one, index): Finding[] => {
    try {
      context.expressions().predicate(one.if);
      return [];
    } catch (error) {
      if (!isMqbError(error)) throw error;
      const { code, message, hint } = error;
      return [{ level: "error", path: ["when", index, "if"], code, message, ...(hint === undefined ? {} : { hint }) }];
    }
  });
}
