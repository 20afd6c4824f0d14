import { equal, ok } from "node:assert/strict";
import type { Route } from "@mqb/core";
import { describeError, isMqbError, kindOf } from "@mqb/core/plugin";
import { CollectingPublisher } from "../../fakes/collecting-publisher.ts";
import type { ConnectorLab } from "../lab.ts";
import { badConfigs, unless } from "../left-out.ts";
import { ReplayingSource } from "../replaying-source.ts";
import type { BadConfig, ConnectorScenario } from "../types.ts";

/** Wrong credentials, a wrong topic or a wrong TLS name are not mended by trying again. */
export const refusedAtOnce: ConnectorScenario = {
  name: "a route with a bad configuration fails at once with a coded error, and does not try again",
  leftOut: unless(badConfigs),
  async run(lab) {
    for (const bad of lab.tested.fixture.bad!) {
      const opened = lab.routes.openings;
      const error = await refusal(lab, bad);
      ok(error !== undefined, `${bad.name}: the route runs`);
      equal(kindOf(error, "retryable"), "config", `${bad.name}: ${describeError(error)}`);
      ok(isMqbError(error) && error.code, `${bad.name}: ${describeError(error)} has no code`);
      const times = lab.routes.openings - opened;
      ok(times <= 1, `${bad.name}: it was opened ${times} times`);
    }
  },
};

async function refusal(lab: ConnectorLab, bad: BadConfig): Promise<unknown> {
  let route: Route;
  try {
    route = make(lab, bad);
  } catch (error) {
    return error;
  }
  try {
    await lab.soon(route.start(), `${bad.name}: the end of the start`);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    await lab.soon(route.stop({ graceMs: 0 }), "the stop of the route");
  }
}

function make(lab: ConnectorLab, { side, config }: BadConfig): Route {
  if (side === "input") return lab.routes.from(new CollectingPublisher(), { config });
  return lab.routes.into(new ReplayingSource(lab.messages(1)), { config });
}
