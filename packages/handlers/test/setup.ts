import { type Bridge, createBridge, type Registry, type RouteRunOptions } from "@mqb/core";
import { batchOf, type EndpointConfig, type Message } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { createCodeRegistry } from "../src/index.ts";

export const NEVER = new AbortController().signal;

export function bridgeOf(registry: Registry = createCodeRegistry([standard])): Bridge {
  return createBridge({ registry });
}

/** Runs messages through a route with a handler, and gives what comes out of it. */
export async function through(run: RouteRunOptions, messages: readonly Message[]) {
  const bridge = bridgeOf();
  const input = await bridge.openPublisher({ memory: { topic: "in" } });
  if (messages.length > 0) await input.send(batchOf(messages), NEVER);
  const route = bridge.route(
    "r",
    { input: { memory: { topic: "in" } }, output: { memory: { topic: "out" } }, exit_on_empty: true },
    { limit: messages.length, ...run },
  );
  await route.start();
  const result = await route.done;
  return { result, out: await contents(bridge, { memory: { topic: "out" } }) };
}

/** What waits in a topic. */
export async function contents(bridge: Bridge, endpoint: EndpointConfig): Promise<readonly Message[]> {
  const consumer = await bridge.openConsumer(endpoint);
  const { batch } = await consumer.receive(1000, AbortSignal.abort());
  await consumer.close();
  return [...batch];
}
