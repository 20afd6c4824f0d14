import { type Bridge, type BridgeOptions, createBridge, createRegistry, type RouteResult } from "@mqb/core";
import { CollectingPublisher, fakePlugin, ScriptedConsumer, within } from "@mqb/testkit";
import standard from "../../src/index.ts";
import { fakeExpressions } from "../fake-expressions.ts";

/** A bridge with a scripted `source` and a collecting `sink`, and one more for `dead` letters. */
export function setUp(options: Partial<BridgeOptions> = {}) {
  const source = new ScriptedConsumer();
  const sink = new CollectingPublisher();
  const dead = new CollectingPublisher();
  const fakes = fakePlugin({ source: { consumer: source }, sink: { publisher: sink }, dead: { publisher: dead } });
  const registry = createRegistry([standard, fakes, fakeExpressions]);
  const bridge = createBridge({ registry, drainIdleMs: 50, ...options });
  return { source, sink, dead, bridge };
}

/** Runs a route to its end. */
export async function run(bridge: Bridge, name: string, config: object): Promise<RouteResult> {
  const route = bridge.route(name, config);
  await route.start();
  return within(route.done, `the route ${name} ends`);
}
