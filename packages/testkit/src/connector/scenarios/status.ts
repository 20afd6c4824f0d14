import { equal, ok } from "node:assert/strict";
import type { EndpointStatus } from "@mqb/core/plugin";
import { eventually } from "../../wait/eventually.ts";
import type { ConnectorLab } from "../lab.ts";
import { input, output, unless } from "../left-out.ts";
import { secretsOf } from "../secrets.ts";
import type { ConnectorScenario } from "../types.ts";

export const status: readonly ConnectorScenario[] = [
  {
    name: "an open source says that it is healthy, what it reads from, and no secret",
    leftOut: unless(input),
    async run(lab) {
      if (!lab.tested.fixture.live) await lab.seed(lab.messages(1));
      const consumer = await lab.consumer();
      await showsState(lab, () => consumer.status?.(), lab.place.input);
    },
  },
  {
    name: "an open sink says that it is healthy, what it writes to, and no secret",
    leftOut: unless(output),
    async run(lab) {
      const publisher = await lab.publisher();
      await showsState(lab, () => publisher.status?.(), lab.place.output);
    },
  },
];

async function showsState(lab: ConnectorLab, look: () => EndpointStatus | undefined, config: unknown): Promise<void> {
  ok(look(), "it has no status");
  const state = await eventually(() => look()?.healthy && look(), "the status to be healthy", lab.patienceMs);
  ok(state.target.length > 0, "it does not say what it is connected to");
  equal(state.error, undefined, "a healthy end has no error");
  for (const depth of [state.pending, state.capacity]) ok(depth === undefined || depth >= 0);
  const text = JSON.stringify(state);
  for (const secret of secretsOf(lab.subject.definition.schema, config)) {
    ok(!text.includes(secret), `the status holds a secret: ${text}`);
  }
}
