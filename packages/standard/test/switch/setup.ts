import type { Plugin } from "@mqb/core/plugin";
import { CollectingPublisher, FakeClock, fakeContext } from "@mqb/testkit";
import standard from "../../src/index.ts";
import { switchSchema } from "../../src/switch/config.ts";
import { fakeExpressions } from "../fake-expressions.ts";

/** A switch into collecting sinks, which stand in its configuration by their names. */
export async function setUp(config: object, expressions: Plugin = fakeExpressions) {
  const sinks: Record<string, CollectingPublisher> = {};
  const clock = new FakeClock();
  const context = fakeContext({
    clock,
    side: "output",
    plugins: [expressions],
    openPublisher: async (name) => (sinks[name as string] ??= new CollectingPublisher()),
  });
  const publisher = await standard.endpoints!["switch"]!.output!.open(switchSchema.parse(config), context);
  return { sinks, clock, context, publisher };
}
