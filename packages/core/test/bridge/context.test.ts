import { describe, expect, it } from "vitest";
import { createBridge } from "../../src/bridge/bridge.ts";
import type { OpenContext } from "../../src/contract/context.ts";
import type { ExpressionCompiler } from "../../src/contract/expression.ts";
import type { StateStore } from "../../src/contract/store.ts";
import { createRegistry } from "../../src/plugin/registry.ts";
import { FakeClock } from "../fakes/clock.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { anything, middleware, OUTPUT, plugin, sink, source } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";

const store: StateStore = {
  getMany: async () => [],
  putMany: async () => [],
  deleteMany: async () => {},
  close: async () => {},
};

/** Opens a sink `outer` with one nested sink, and gives the contexts by their paths. */
async function contexts(config: unknown, more: Parameters<typeof plugin>[0] = {}, packageFor?: () => string) {
  const seen = new Map<string, OpenContext>();
  const note = (context: OpenContext): void => void seen.set(context.path, context);
  const endpoints = {
    source: source((_, context) => {
      note(context);
      return new FakeConsumer();
    }),
    sink: sink((_, context) => {
      note(context);
      return new FakePublisher();
    }),
    outer: {
      description: "",
      schema: anything,
      output: {
        capabilities: () => OUTPUT,
        open: async (config: unknown, context: OpenContext) => {
          note(context);
          return await context.openPublisher((config as { to: unknown }).to, "cases.a[1]");
        },
      },
    },
  };
  const middlewares = {
    m: middleware({
      output: async (inner, config, context) => {
        note(context);
        const { to } = (config ?? {}) as { to?: unknown };
        if (to) await context.openPublisher(to, "endpoint");
        return inner;
      },
    }),
  };
  const registry = createRegistry([plugin({ endpoints, middlewares, ...more })], packageFor ? { packageFor } : {});
  const clock = new FakeClock();
  const bridge = createBridge({ registry, clock, baseDir: "/base", endpoints: { named: { sink: {} } } });
  const publisher = await bridge.openPublisher(config);
  return { seen, bridge, publisher, clock, registry };
}

describe("the context of an opened end", () => {
  it("says where it stands, also below other ends and middlewares", async () => {
    const nested = { sink: {}, middlewares: [{ m: { to: { sink: {} } } }] };
    const { seen } = await contexts({ outer: { to: nested }, middlewares: [{ m: { to: nested } }] });
    expect([...seen.keys()]).toEqual([
      "output",
      "output.outer.cases.a[1]",
      "output.outer.cases.a[1].middlewares[0].m",
      "output.outer.cases.a[1].middlewares[0].m.endpoint",
      "output.middlewares[0].m",
      "output.middlewares[0].m.endpoint",
      "output.middlewares[0].m.endpoint.middlewares[0].m",
      "output.middlewares[0].m.endpoint.middlewares[0].m.endpoint",
    ]);
    expect(seen.get("output")).toMatchObject({ side: "output", route: "direct", baseDir: "/base", draining: false });
  });

  it("refuses a nested endpoint that is wrong, with its place, and closes what was open", async () => {
    const error = await contexts({ outer: { to: { snk: {} } } }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "MQB_CORE_INVALID_ENDPOINT",
      kind: "config",
      message:
        'the endpoint cannot be opened: output.outer.cases.a[1].snk: unknown endpoint "snk" (did you mean "sink"?)',
    });
  });

  it("refuses a nested endpoint whose middlewares are written wrongly, instead of opening it without them", async () => {
    await expect(contexts({ outer: { to: { sink: {}, middlewares: { m: {} } } } })).rejects.toThrow(
      '"middlewares" is a list',
    );
  });

  it("has one local value per key and bridge", async () => {
    const { seen } = await contexts({ sink: {}, middlewares: ["m"] });
    const one = seen.get("output")!.local("topic", () => ({ n: 1 }));
    expect(seen.get("output.middlewares[0]")!.local("topic", () => ({ n: 2 }))).toBe(one);
    const other = await contexts({ sink: {} });
    expect(other.seen.get("output")!.local("topic", () => ({ n: 3 }))).toEqual({ n: 3 });
    expect(seen.get("output")!.local<undefined>("none", () => undefined)).toBeUndefined();
  });

  it("shares resources over the whole bridge", async () => {
    const { seen } = await contexts({ sink: {}, middlewares: ["m"] });
    const disposed: string[] = [];
    const held = await Promise.all(
      [...seen.values()].map(({ share }) =>
        share(
          "client",
          async () => "client",
          async (value) => void disposed.push(value),
        ),
      ),
    );
    for (const one of held) await one.release();
    expect(held.map(({ value }) => value)).toEqual(["client", "client"]);
    expect(disposed).toEqual(["client"]);
  });

  it("has a session of its own for each place", async () => {
    const { seen } = await contexts({ sink: {}, middlewares: ["m"] });
    seen.get("output")!.session.set("k", 1);
    expect(seen.get("output.middlewares[0]")!.session.size).toBe(0);
  });

  it("knows the endpoints that the host has named", async () => {
    const { seen, bridge } = await contexts({ sink: {} });
    const context = seen.get("output")!;
    expect(context.reference("named")).toEqual({ sink: {} });
    expect(context.reference("other")).toBeUndefined();
    bridge.endpoint("other", { sink: { x: 1 } });
    expect(context.reference("other")).toEqual({ sink: { x: 1 } });
    expect(() => bridge.endpoint("other", {})).toThrow('the endpoint name "other" is offered');
  });
});

describe("a state store", () => {
  it.each([
    ["memory:", "memory"],
    ["MEMORY://x", "memory"],
    ["file:///var/lib/state.json", "file"],
    ["/var/lib/state.json", "file"],
    ["state.json", "file"],
    ["s3+http://bucket", "s3+http"],
  ])("%s is opened by the scheme %s", async (url, scheme) => {
    const opened: unknown[] = [];
    const stores = {
      [scheme]: {
        description: "",
        durable: true,
        open: (given: string, context: object) => {
          opened.push(given, Object.keys(context));
          return store;
        },
      },
    };
    const { bridge, seen } = await contexts({ sink: {} }, { stores });
    expect(await bridge.openStore(url)).toBe(store);
    expect(await seen.get("output")!.openStore(url)).toBe(store);
    expect(opened.slice(0, 2)).toEqual([url, ["log", "clock", "baseDir", "local"]]);
  });

  it("of a scheme that nobody brings is refused with the schemes that exist, or with the package", async () => {
    const stores = { memory: { description: "", durable: false, open: () => store } };
    const { bridge } = await contexts({ sink: {} }, { stores });
    await expect(bridge.openStore("redis://user:pw@h")).rejects.toMatchObject({
      code: "MQB_CORE_NO_STORE",
      message: 'no state store for "redis:" URLs; there are: memory',
      hint: "check the URL's scheme",
    });
    const known = await contexts({ sink: {} }, {}, () => "@mqb/redis");
    await expect(known.bridge.openStore("redis://h")).rejects.toMatchObject({ hint: "install @mqb/redis" });
  });
});

describe("the expression language", () => {
  it("is there when a plugin brings it", async () => {
    const expressions: ExpressionCompiler = {
      predicate: () => ({ test: () => ({ matched: new Uint32Array() }) }),
      evaluator: () => ({ evaluate: () => new Uint8Array() }),
      computation: () => ({ compute: () => null, write: () => "null", read: () => null }),
    };
    const { seen } = await contexts({ sink: {} }, { expressions });
    expect(seen.get("output")!.expressions()).toBe(expressions);
  });

  it("is missed with the place and the package that brings it", async () => {
    const { seen } = await contexts({ sink: {} });
    expect(() => seen.get("output")!.expressions()).toThrow(
      expect.objectContaining({
        code: "MQB_CORE_NO_EXPRESSIONS",
        message: "output needs the expression language, which is not installed",
        hint: "install @mqb/expression",
      }),
    );
  });
});
