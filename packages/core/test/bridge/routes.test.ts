import { describe, expect, it } from "vitest";
import { createBridge } from "../../src/bridge/bridge.ts";
import { isMqbError } from "../../src/errors/mqb-error.ts";
import { createRegistry } from "../../src/plugin/registry.ts";
import { FakeClock } from "../fakes/clock.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { never } from "../fakes/deferred.ts";
import { harness } from "../fakes/harness.ts";
import { FakeLogger } from "../fakes/logger.ts";
import { plugin, sink, source } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { settled } from "../fakes/until.ts";

const ends = { input: { source: {} }, output: { sink: {} } };

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return expect.unreachable();
}

describe("making a route", () => {
  it("refuses a wrong configuration with every problem, before anything is opened", () => {
    let opened = 0;
    const consumer = () => {
      opened += 1;
      return new FakeConsumer();
    };
    const { bridge } = harness({ consumer });
    const config = { ...ends, batch_sise: 1, output: { snk: {} } };
    const error = thrown(() => bridge.route("bad", config));
    expect(error).toMatchObject({
      code: "MQB_CORE_INVALID_ROUTE",
      kind: "config",
      message:
        'route "bad" cannot start: batch_sise: a route has no field "batch_sise" (did you mean "batch_size"?); ' +
        'output.snk: unknown endpoint "snk" (did you mean "sink"?)',
    });
    expect(bridge.check("bad", config).problems).toHaveLength(2);
    expect(bridge.routes.map((route) => route.name)).toEqual(["r"]);
    expect(opened).toBe(0);
  });

  it("logs warnings", () => {
    const log = new FakeLogger();
    const warns = {
      ...sink(() => new FakePublisher()),
      check: () => [{ level: "warning", path: [], code: "MQB_W", message: "slow" } as const],
    };
    const registry = createRegistry([plugin({ endpoints: { source: source(() => new FakeConsumer()), sink: warns } })]);
    createBridge({ registry, log }).route("r", ends);
    expect(log.lines).toEqual([{ level: "warn", message: "route r: slow", fields: { code: "MQB_W" } }]);
  });

  it("refuses a name that is taken, until that route has ended", async () => {
    const { bridge, route } = harness();
    expect(thrown(() => bridge.route("r", ends))).toMatchObject({
      code: "MQB_CORE_ROUTE_EXISTS",
      message: 'there is a route named "r" already',
    });
    await route.start();
    expect(isMqbError(thrown(() => bridge.route("r", ends)))).toBe(true);
    await route.stop();
    const second = bridge.route("r", ends);
    expect(bridge.get("r")).toBe(second);
    expect(bridge.routes).toEqual([second]);
  });

  it("is the only way to get one by name, and the error lists the names", () => {
    const { bridge, route } = harness();
    expect(bridge.get("r")).toBe(route);
    expect(thrown(() => bridge.get("x"))).toMatchObject({ message: 'no route named "x"; there are: r' });
    const empty = createBridge({ registry: createRegistry([]) });
    expect(thrown(() => empty.get("x"))).toMatchObject({ message: 'no route named "x"; there are: none' });
  });
});

describe("a bridge", () => {
  it("starts what is not started, at the same time, with a result for each, and never rejects", async () => {
    const { bridge, route, clock } = harness({
      endpoints: {
        broken: source(() => {
          throw Object.assign(new Error("bad"), { retryable: false });
        }),
        hangs: source(() => never<FakeConsumer>()),
      },
    });
    bridge.route("bad", { ...ends, input: { broken: {} } });
    bridge.route("slow", { ...ends, input: { hangs: {} }, startup_timeout_ms: 100 });
    const kept = bridge.route(
      "kept",
      { ...ends, input: { hangs: {} }, startup_timeout_ms: 100 },
      { unreachable: "keep" },
    );
    const started = bridge.start();
    expect(await bridge.start()).toEqual([]);
    const results = await clock.run(started, 100);
    expect(results).toEqual([
      { route: "r", state: "running" },
      { route: "bad", state: "failed", error: expect.objectContaining({ message: "bad" }) },
      { route: "slow", state: "failed", error: expect.objectContaining({ code: "MQB_CORE_START_TIMEOUT" }) },
      { route: "kept", state: "connecting" },
    ]);
    expect(route.state).toBe("running");
    expect(bridge.status().map(({ name, state }) => `${name} ${state}`)).toEqual([
      "r running",
      "bad failed",
      "slow failed",
      "kept connecting",
    ]);
    await clock.run(bridge.stop());
    expect(kept.state).toBe("stopped");
  });

  it("stops its routes at the same time: the whole takes as long as the slowest", async () => {
    const slow = (): FakePublisher => new FakePublisher(() => never());
    const { bridge, clock } = harness({
      consumer: () => new FakeConsumer([["a"]]),
      publisher: slow,
    });
    for (const name of ["s", "t", "u"]) bridge.route(name, ends);
    await bridge.start();
    await settled();
    const begin = clock.time;
    const results = await clock.run(bridge.stop({ graceMs: 3000 }));
    expect(results.map(({ outcome }) => outcome)).toEqual(["stopped", "stopped", "stopped", "stopped"]);
    expect(clock.time - begin).toBe(3250);
  });

  it("keeps a failing route from touching the others", async () => {
    const { bridge, route, clock } = harness({
      endpoints: { dies: source(() => new FakeConsumer([Object.assign(new Error("dead"), { retryable: false })])) },
    });
    const other = bridge.route("other", { ...ends, input: { dies: {} } });
    await bridge.start();
    expect(await clock.run(other.done)).toMatchObject({ outcome: "failed" });
    expect(route.state).toBe("running");
    await clock.run(bridge.stop());
  });

  it("uses the system's clock, a silent log and the working directory unless told otherwise", async () => {
    let baseDir = "";
    const endpoints = {
      source: source((_, context) => {
        baseDir = context.baseDir;
        return new FakeConsumer([], { ends: true });
      }),
      sink: sink(() => new FakePublisher()),
    };
    const bridge = createBridge({ registry: createRegistry([plugin({ endpoints })]) });
    const route = bridge.route("r", { ...ends, exit_on_empty: true });
    await route.start();
    expect(await route.done).toMatchObject({ outcome: "completed" });
    expect(baseDir).toBe(process.cwd());
    expect(Math.abs(route.status().startedAt! - Date.now())).toBeLessThan(60_000);
    expect(new FakeClock().pending).toBe(0);
  });
});
