import type { Outcome } from "@mqb/core/plugin";
import { CollectingPublisher, FakeClock, fakeContext } from "@mqb/testkit";
import standard from "../../src/index.ts";

/** A fanout into collecting sinks. */
export async function setUp(legs = 2, session = new Map<string, unknown>()) {
  const sinks = Array.from({ length: legs }, () => new CollectingPublisher());
  const clock = new FakeClock();
  const context = fakeContext({
    clock,
    session,
    side: "output",
    openPublisher: async (endpoint) => sinks[endpoint as number]!,
  });
  const publisher = await standard.endpoints!["fanout"]!.output!.open(
    sinks.map((_, index) => index),
    context,
  );
  return { sinks, clock, context, publisher, session };
}

export function types(outcomes: readonly Outcome[] | undefined): string[] | undefined {
  return outcomes?.map((one) => one.type);
}
