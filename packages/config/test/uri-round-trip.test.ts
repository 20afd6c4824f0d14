import { createRegistry, type Registry } from "@mqb/core";
import type { Side } from "@mqb/core/plugin";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { pick, randomFrom } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { endpointFromUri, toUri } from "../src/index.ts";
import { canonicalEndpoint } from "../src/uri/canonical.ts";
import { withCachedSchemas } from "./cached-schemas.ts";
import { fakePlugin } from "./fake-plugin.ts";
import { structural } from "./fake-structural.ts";
import { ConfigGenerator } from "./generate-config.ts";

const SEED = 20_261_130;
const registries: Record<string, Registry> = {
  bundled: createRegistry([standard, file].map(withCachedSchemas)),
  fakes: createRegistry([fakePlugin, structural].map(withCachedSchemas)),
};

/** What is tried, and what comes of it. */
function roundTrips(registry: Registry, count: number) {
  const random = randomFrom(SEED);
  const generator = new ConfigGenerator(registry, random);
  const types = registry.names("endpoint").filter((type) => type !== "ref");
  return Array.from({ length: count }, () => {
    const side = pick<Side>(random, ["input", "output"]);
    const type = pick(
      random,
      types.filter((one) => registry.endpoint(one)!.definition[side]),
    );
    const endpoint = generator.endpoint(type, side);
    return { side, type, endpoint, uri: toUri(endpoint, side, registry) };
  });
}

describe.each(Object.keys(registries))("a configuration of the %s", (name) => {
  const registry = registries[name]!;
  const tried = roundTrips(registry, 1500);

  it("comes back the same from its URI", () => {
    for (const { side, endpoint, uri } of tried) {
      if (uri === undefined) continue;
      // Variables are put in: nothing in the URI may be taken for one.
      const back = endpointFromUri(uri, side, registry, { HOME: "wrong", x: "wrong" });
      expect(canonicalEndpoint(back, side, registry), uri).toEqual(canonicalEndpoint(endpoint, side, registry));
    }
  });

  it("has a URI, unless its endpoint cannot be written as one", () => {
    const without = tried.filter(({ uri }) => uri === undefined);
    const unexpected = without.filter(
      ({ endpoint }) => !JSON.stringify(endpoint).match(/"(?:memory|static|ref|filter|reader)":/),
    );
    expect(unexpected.map(({ endpoint }) => JSON.stringify(endpoint))).toEqual([]);
    expect(tried.length - without.length).toBeGreaterThan(tried.length * 0.7);
  });
});

describe("the URI of a configuration", () => {
  const registry = registries["bundled"]!;
  it.each([
    [{ file: { path: "/data/a b.jsonl" } }, "file:///data/a b.jsonl"],
    [
      { file: { path: "a|b%c?d#e.csv", format: "csv", csv: { separator: "|", header: false } } },
      "file:a%7Cb%25c%3Fd%23e.csv?format=csv&csv.separator=%7C&csv.header=false",
    ],
    [{ file: { path: "a.gz" } }, "file:a.gz?compression=none"],
    [{ file: { path: "a.gz", compression: "gzip" } }, "file:a.gz"],
    [{ file: { path: "${HOME}/x" } }, "file:%24{HOME}/x"],
    [{ memory: { topic: "orders", capacity: 7 } }, "memory://orders?capacity=7"],
    [{ static: "hi" }, "static:?body=hi"],
    [null, "null:"],
    [
      { file: { path: "a" }, middlewares: ["metrics", { custom: { name: "retry", config: { max_attempts: 2 } } }] },
      "file:a|metrics|retry?max_attempts=2",
    ],
    [{ null: {}, middlewares: [{ filter: "a > 1 && b" }] }, "null:|filter?a > 1 %26%26 b"],
    [
      { fanout: [{ file: { path: "a" }, middlewares: [{ dlq: { endpoint: { file: { path: "x#y" } } } }] }] },
      "fanout:?to=file:a%7Cdlq?endpoint=file:x%252523y",
    ],
    [
      { null: {}, middlewares: [{ dlq: { endpoint: { memory: { topic: "a", request_reply: true } } } }] },
      'null:|dlq?endpoint={"memory":{"topic":"a","request_reply":true}}',
    ],
  ])("%j is %s", (endpoint, uri) => {
    expect(toUri(endpoint, "output", registry)).toBe(uri);
  });

  it.each([
    [{ memory: { topic: "a", request_reply: true } }],
    [{ static: { body: "a", metadata: { raw: "x" } } }],
    [{ nosuch: {} }],
    [{ file: { path: "a" }, null: {} }],
    [{ file: { path: "a" }, middlewares: [{ nosuch: {} }] }],
  ])("does not exist for %j", (endpoint) => {
    expect(toUri(endpoint, "output", registry)).toBeUndefined();
  });
});
