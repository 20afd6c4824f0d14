import { describe, expect, it } from "vitest";
import type { PluginDefinition, StoreDefinition } from "../../src/contract/plugin.ts";
import { isMqbError } from "../../src/errors/mqb-error.ts";
import { definePlugin } from "../../src/plugin/define.ts";
import { createRegistry, isPlugin } from "../../src/plugin/registry.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { middleware, plugin, source } from "../fakes/plugin.ts";

const store: StoreDefinition = { description: "", durable: true, open: () => Promise.reject(new Error("unused")) };
const endpoint = source(() => new FakeConsumer());
const compiler = {
  predicate: () => ({ test: () => ({ matched: new Uint32Array() }) }),
  evaluator: () => never(),
  computation: () => never(),
};

function never(): never {
  throw new Error("unused");
}

function refusal(...plugins: unknown[]) {
  try {
    createRegistry(plugins);
  } catch (error) {
    if (isMqbError(error)) return { code: error.code, kind: error.kind, message: error.message };
    throw error;
  }
  throw new Error("not refused");
}

/** Services of which the registry knows nothing but the names. */
function services(...names: string[]): Partial<PluginDefinition> {
  return { services: Object.fromEntries(names.map((name) => [name, { name, aliases: 1 }])) };
}

describe("a registry", () => {
  it("finds what its plugins bring, by name and alias, with the canonical name and the plugin", () => {
    const registry = createRegistry([
      plugin({
        name: "one",
        endpoints: { kafka: { ...endpoint, aliases: ["k"] } },
        middlewares: { retry: middleware({ aliases: ["again"] }) },
        stores: { sled: store },
        schemes: { kafka: { endpoint: "kafka", config: () => ({}) } },
        expressions: compiler,
      }),
    ]);
    expect(registry.endpoint("k")).toMatchObject({ name: "kafka", plugin: "one" });
    expect(registry.middleware("again")?.name).toBe("retry");
    expect(registry.store("sled")?.definition).toBe(store);
    expect(registry.scheme("kafka")?.definition.endpoint).toBe("kafka");
    expect(registry.expressions).toBe(compiler);
    expect(registry.endpoint("constructor")).toBeUndefined();
  });

  it("lists canonical names in alphabetical order", () => {
    const registry = createRegistry([plugin({ endpoints: { b: { ...endpoint, aliases: ["aa"] }, a: endpoint } })]);
    expect(registry.names("endpoint")).toEqual(["a", "b"]);
    expect(registry.names("store")).toEqual([]);
  });

  it("takes a module with the plugin as its default export, and the same plugin twice", () => {
    const one = plugin({ endpoints: { a: endpoint } });
    expect(createRegistry([{ default: one }, one]).plugins).toEqual([one]);
  });

  it("takes an endpoint that several plugins share from the first of them", () => {
    const one = plugin({ name: "one", endpoints: { sqlx: { ...endpoint, shared: true } } });
    const two = plugin({ name: "two", endpoints: { sqlx: { ...endpoint, shared: true } } });
    const found = createRegistry([one, two]).endpoint("sqlx");
    expect(found?.plugin).toBe("one");
    expect(found?.definition).toBe(one.endpoints?.["sqlx"]);
    const alone = plugin({ name: "three", endpoints: { sqlx: endpoint } });
    expect(refusal(one, alone).code).toBe("MQB_CORE_DUPLICATE_NAME");
    expect(refusal(alone, one).code).toBe("MQB_CORE_DUPLICATE_NAME");
  });

  it("finds the services of all plugins", () => {
    const registry = createRegistry([
      plugin({ name: "one", ...services("a") }),
      plugin({ name: "two", ...services("b") }),
    ]);
    const found = (name: string) => registry.service(name as never);
    expect(["a", "b", "c"].map(found)).toEqual([{ name: "a", aliases: 1 }, { name: "b", aliases: 1 }, undefined]);
  });

  it("knows which package would bring a name when somebody tells it", () => {
    const registry = createRegistry([], {
      packageFor: (what, name) => (what === "endpoint" ? `@mqb/${name}` : undefined),
    });
    expect(registry.packageFor("endpoint", "kafka")).toBe("@mqb/kafka");
    expect(registry.packageFor("store", "kafka")).toBeUndefined();
  });

  it("does not change afterwards", () => {
    expect(Object.isFrozen(createRegistry([]))).toBe(true);
  });
});

describe("a registry refuses", () => {
  it.each([
    ["a function", () => {}, "a function is not"],
    ["null", null, "null is not"],
    ["undefined", undefined, "nothing"],
    ["a look-alike without the brand", { name: "almost", apiVersion: 1 }, '"almost"'],
  ])("%s as a plugin", (_, value, text) => {
    const error = refusal(value);
    expect(error).toMatchObject({ code: "MQB_CORE_NOT_A_PLUGIN", kind: "config" });
    expect(error.message).toContain(text);
  });

  it.each([[0], [2], ["1"], [undefined]])("a plugin made for API version %s, naming both sides", (apiVersion) => {
    const error = refusal(plugin({ name: "p", apiVersion: apiVersion as number }));
    expect(error).toMatchObject({ code: "MQB_CORE_API_VERSION", kind: "config" });
    expect(error.message).toBe(`plugin p is made for plugin API version ${apiVersion}; this mqb takes 1`);
  });

  const taken: [string, Partial<PluginDefinition>, Partial<PluginDefinition>][] = [
    ["endpoint", { endpoints: { a: endpoint } }, { endpoints: { a: endpoint } }],
    ["endpoint", { endpoints: { a: endpoint } }, { endpoints: { b: { ...endpoint, aliases: ["a"] } } }],
    ["endpoint", { endpoints: { b: { ...endpoint, aliases: ["a"] } } }, { endpoints: { a: endpoint } }],
    ["middleware", { middlewares: { a: middleware({}) } }, { middlewares: { a: middleware({}) } }],
    ["state store", { stores: { a: store } }, { stores: { a: store } }],
    [
      "URI scheme",
      { schemes: { a: { endpoint: "x", config: () => ({}) } } },
      { schemes: { a: { endpoint: "x", config: () => ({}) } } },
    ],
    ["service", services("a"), services("a", "b")],
  ];
  it.each(taken)("an %s that two plugins offer, naming both", (what, first, second) => {
    const error = refusal(plugin({ name: "one", ...first }), plugin({ name: "two", ...second }));
    expect(error).toMatchObject({ code: "MQB_CORE_DUPLICATE_NAME", kind: "config" });
    expect(error.message).toBe(`the ${what} "a" is offered by two plugins: one and two`);
  });

  it("two expression languages", () => {
    const error = refusal(
      plugin({ name: "one", expressions: compiler }),
      plugin({ name: "two", expressions: compiler }),
    );
    expect(error.code).toBe("MQB_CORE_DUPLICATE_NAME");
  });

  it.each([
    ["an endpoint called middlewares", { endpoints: { middlewares: endpoint } }],
    ["an endpoint called custom", { endpoints: { custom: endpoint } }],
    ["an endpoint with such an alias", { endpoints: { a: { ...endpoint, aliases: ["middlewares"] } } }],
    ["a middleware called custom", { middlewares: { custom: middleware({}) } }],
  ])("%s, which means something else there", (_, definition) => {
    expect(refusal(plugin(definition)).code).toBe("MQB_CORE_BAD_PLUGIN");
  });
});

describe("a plugin", () => {
  it("is recognised by its brand, so that two copies of core agree", () => {
    expect(isPlugin(definePlugin({ name: "p", apiVersion: 1 }))).toBe(true);
    expect(isPlugin({ name: "p", apiVersion: 1, [Symbol.for("mqb.plugin")]: true })).toBe(true);
    expect(isPlugin({ name: "p", apiVersion: 1 })).toBe(false);
  });
});
