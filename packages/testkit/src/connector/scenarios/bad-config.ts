import { deepEqual, ok } from "node:assert/strict";
import { describeError, isMqbError, kindOf, type Side } from "@mqb/core/plugin";
import { CollectingPublisher } from "../../fakes/collecting-publisher.ts";
import { ScriptedConsumer } from "../../fakes/scripted-consumer.ts";
import type { ConnectorLab } from "../lab.ts";
import { badConfigs, input, output, unless } from "../left-out.ts";
import { newResources } from "../resources.ts";
import { secretsOf } from "../secrets.ts";
import type { ConnectorScenario } from "../types.ts";

export const badConfig: readonly ConnectorScenario[] = [
  {
    name: "a source with an unknown key is refused, and the key is named",
    leftOut: unless(input),
    run: (lab) => namesUnknownKey(lab, "input"),
  },
  {
    name: "a sink with an unknown key is refused, and the key is named",
    leftOut: unless(output),
    run: (lab) => namesUnknownKey(lab, "output"),
  },
  {
    name: "a bad configuration is refused with a coded error of kind config, without a trace",
    leftOut: unless(badConfigs),
    async run(lab) {
      for (const { name, side, config } of lab.tested.fixture.bad!) {
        using opened = newResources();
        const error = await refusal(lab, side, config);
        ok(error !== undefined, `${name}: it was opened`);
        ok(kindOf(error, "retryable") === "config", `${name}: ${describeError(error)} is not of kind config`);
        ok(isMqbError(error) && error.code, `${name}: ${describeError(error)} has no code`);
        const text = `${describeError(error)} ${error.hint ?? ""}`;
        for (const secret of secretsOf(lab.subject.definition.schema, config)) {
          ok(!text.includes(secret), `${name}: the error holds a secret`);
        }
        deepEqual(await opened.left(lab.patienceMs), [], `${name}: something is left open`);
      }
    },
  },
];

async function namesUnknownKey(lab: ConnectorLab, side: Side): Promise<void> {
  const config = lab.place[side];
  // A text or a list has no keys.
  if (typeof config !== "object" || config === null || Array.isArray(config)) return;
  const error = await refusal(lab, side, { ...config, no_such_option: 1 });
  ok(error !== undefined, "it was opened");
  ok(describeError(error).includes("no_such_option"), `the key is not named: ${describeError(error)}`);
}

/** What the configuration is refused with, by its schema, its check or when it is opened. */
async function refusal(lab: ConnectorLab, side: Side, config: unknown): Promise<unknown> {
  try {
    // A route refuses what the schema and the check find; the rest shows when it is opened.
    if (side === "input") lab.routes.from(new CollectingPublisher(), { config });
    else lab.routes.into(new ScriptedConsumer(), { config });
    const end = side === "input" ? await lab.consumer({ config }) : await lab.publisher({ config });
    await end.close();
    return undefined;
  } catch (error) {
    return error;
  }
}
