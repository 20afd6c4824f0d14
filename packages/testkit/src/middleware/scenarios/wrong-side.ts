import { ok } from "node:assert/strict";
import { createBridge, createRegistry } from "@mqb/core";
import type { Side } from "@mqb/core/plugin";
import { CollectingPublisher } from "../../fakes/collecting-publisher.ts";
import { fakePlugin } from "../../fakes/plugin.ts";
import { ScriptedConsumer } from "../../fakes/scripted-consumer.ts";
import type { MiddlewareSubject } from "../types.ts";
import type { RouteScenario } from "./in-route.ts";

export const wrongSide: readonly RouteScenario[] = [refused("input"), refused("output"), unknownKey()];

function refused(side: Side): RouteScenario {
  return {
    name: `is refused as a middleware of an ${side}, before anything is opened`,
    leftOut: ({ definition }) => (definition[side] ? `it works on an ${side}` : undefined),
    async run({ subject }) {
      const other = side === "input" ? "output" : "input";
      const problems = check(subject, side, raw(subject, other));
      ok(
        problems.some((problem) => problem.code === "MQB_CONFIG_WRONG_SIDE"),
        `no complaint about the side: ${JSON.stringify(problems)}`,
      );
    },
  };
}

function unknownKey(): RouteScenario {
  return {
    name: "an unknown key in its configuration is refused",
    async run({ subject }) {
      for (const side of ["input", "output"] as const) {
        if (!subject.definition[side]) continue;
        const config = raw(subject, side);
        const good = check(subject, side, config).filter((problem) => problem.level === "error");
        ok(good.length === 0, `the suite's own configuration is refused: ${JSON.stringify(good)}`);
        if (typeof config !== "object" || config === null || Array.isArray(config)) continue;
        const problems = check(subject, side, { ...config, no_such_option: 1 });
        ok(
          problems.some((problem) => problem.level === "error" && JSON.stringify(problem).includes("no_such_option")),
          `"no_such_option" was taken: ${JSON.stringify(problems)}`,
        );
      }
    },
  };
}

function check({ tested }: MiddlewareSubject, side: Side, config: unknown): readonly { level: string; code: string }[] {
  const fakes = fakePlugin({
    testkit_source: { consumer: () => new ScriptedConsumer() },
    testkit_sink: { publisher: () => new CollectingPublisher() },
  });
  const given = tested.context?.() ?? {};
  const plugins = [...new Set([tested.plugin, ...(given.plugins ?? [])])];
  const bridge = createBridge({ registry: createRegistry([...plugins, fakes]), endpoints: given.references ?? {} });
  const middlewares = [{ [tested.middleware]: config }];
  return bridge.check("test", {
    input: { testkit_source: {}, ...(side === "input" && { middlewares }) },
    output: { testkit_sink: {}, ...(side === "output" && { middlewares }) },
  }).problems;
}

function raw({ tested }: MiddlewareSubject, side: Side): unknown {
  return (typeof tested.config === "function" ? (tested.config as (side: Side) => unknown)(side) : tested.config) ?? {};
}
