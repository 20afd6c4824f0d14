import { createBridge, createRegistry, type Route, type RouteResult } from "@mqb/core";
import type { Message, Side } from "@mqb/core/plugin";
import { FakeClock } from "../fakes/clock.ts";
import { CollectingPublisher } from "../fakes/collecting-publisher.ts";
import { messages } from "../fakes/messages.ts";
import { fakePlugin } from "../fakes/plugin.ts";
import { ReturningSource } from "./returning-source.ts";
import type { MiddlewareSubject } from "./types.ts";

const BATCH = 5;

/** A route with the middleware on one side, between a source that takes back and a collecting sink, in fake time. */
export class RouteLab {
  readonly subject: MiddlewareSubject;
  readonly concurrency: number;
  readonly sent: readonly Message[];
  readonly source: ReturningSource;
  readonly sink = new CollectingPublisher();
  private readonly clock = new FakeClock();
  private readonly route: Route;

  constructor(subject: MiddlewareSubject, side: Side, concurrency: number, count = 60) {
    const { tested } = subject;
    this.subject = subject;
    this.concurrency = concurrency;
    this.sent = Array.from({ length: count }, (_, n) =>
      tested.message ? tested.message(n, side) : messages(1, { from: n, metadata: true })[0]!,
    );
    this.source = new ReturningSource(this.sent);
    const fakes = fakePlugin({
      testkit_source: { consumer: this.source, input: { bounded: true } },
      testkit_sink: { publisher: this.sink },
    });
    const { plugins = [], references = {}, allowFaultInjection = false, baseDir } = tested.context?.() ?? {};
    const registry = createRegistry([...new Set([tested.plugin, ...plugins]), fakes]);
    const place = baseDir === undefined ? {} : { baseDir };
    const bridge = createBridge({ registry, clock: this.clock, endpoints: references, ...place });
    const raw = typeof tested.config === "function" ? (tested.config as (side: Side) => unknown)(side) : tested.config;
    const middlewares = [{ [tested.middleware]: raw ?? {} }];
    this.route = bridge.route("test", {
      input: { testkit_source: {}, ...(side === "input" && { middlewares }) },
      output: { testkit_sink: {}, ...(side === "output" && { middlewares }) },
      concurrency,
      batch_size: BATCH,
      exit_on_empty: true,
      // Beyond what the fake time jumps over: what is read from the disk at the start takes real time.
      startup_timeout_ms: 24 * 60 * 60 * 1000,
      allow_fault_injection: allowFaultInjection,
    });
  }

  /** In real time: what is opened may be outside of the process, and the start has a time limit. */
  start(): Promise<unknown> {
    return this.route.start();
  }

  /** Runs the route to its end. */
  async drained(): Promise<RouteResult> {
    await this.start();
    return this.settled(this.route.done);
  }

  /** Stops the route, which does not wait long for what is in flight. */
  async stopped(): Promise<RouteResult> {
    void this.route.stop({ graceMs: 1_000 });
    return this.settled(this.route.done);
  }

  /** Ends the route, whatever state a failed scenario has left it in: one that goes on would slow down all that follow. */
  async ended(): Promise<void> {
    void this.route.stop({ graceMs: 0 });
    await this.settled(this.route.done);
  }

  settled<T>(promise: PromiseLike<T>): Promise<T> {
    return this.clock.runUntil(promise, undefined, this.subject.tested.patienceMs);
  }
}
