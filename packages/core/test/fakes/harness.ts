import { type Bridge, createBridge } from "../../src/bridge/bridge.ts";
import type { OpenContext } from "../../src/contract/context.ts";
import type { EndpointDefinition, MiddlewareDefinition } from "../../src/contract/definition.ts";
import type { Consumer, InputCapabilities, OutputCapabilities, Publisher } from "../../src/contract/endpoint.ts";
import { createRegistry } from "../../src/plugin/registry.ts";
import type { Route, RouteRunOptions } from "../../src/route/route.ts";
import { FakeClock } from "./clock.ts";
import { FakeConsumer } from "./consumer.ts";
import { FakeLogger } from "./logger.ts";
import { plugin, sink, source } from "./plugin.ts";
import { FakePublisher } from "./publisher.ts";

export interface HarnessOptions<C extends Consumer, P extends Publisher> {
  /** The opened ends, or a function that opens one for each connection. */
  readonly consumer?: C | ((context: OpenContext) => C | Promise<C>);
  readonly publisher?: P | ((context: OpenContext) => P | Promise<P>);
  readonly input?: Partial<InputCapabilities>;
  readonly output?: Partial<OutputCapabilities>;
  readonly middlewares?: Readonly<Record<string, MiddlewareDefinition>>;
  readonly endpoints?: Readonly<Record<string, EndpointDefinition>>;
  /** Fields of the route. */
  readonly route?: Readonly<Record<string, unknown>>;
  readonly run?: RouteRunOptions;
}

export interface Harness<C, P> {
  readonly bridge: Bridge;
  readonly route: Route;
  readonly clock: FakeClock;
  readonly log: FakeLogger;
  readonly consumer: C;
  readonly publisher: P;
}

/** A route from a fake source (`source`) to a fake sink (`sink`), on a fake clock. */
export function harness<C extends Consumer = FakeConsumer, P extends Publisher = FakePublisher>(
  options: HarnessOptions<C, P> = {},
): Harness<C, P> {
  const consumer = options.consumer ?? (new FakeConsumer() as unknown as C);
  const publisher = options.publisher ?? (new FakePublisher() as unknown as P);
  const clock = new FakeClock();
  const log = new FakeLogger();
  const endpoints = {
    source: source((_, context) => (typeof consumer === "function" ? consumer(context) : consumer), options.input),
    sink: sink((_, context) => (typeof publisher === "function" ? publisher(context) : publisher), options.output),
    ...options.endpoints,
  };
  const registry = createRegistry([plugin({ endpoints, middlewares: options.middlewares ?? {} })]);
  const bridge = createBridge({ registry, clock, log, baseDir: "/nowhere" });
  const config = { input: { source: {} }, output: { sink: {} }, ...options.route };
  const route = bridge.route("r", config, options.run);
  return { bridge, route, clock, log, consumer: consumer as C, publisher: publisher as P };
}

/** Runs a route to its end, over all pauses. */
export async function runToEnd({ route, clock }: { route: Route; clock: FakeClock }) {
  await clock.run(route.start());
  return await clock.run(route.done);
}
