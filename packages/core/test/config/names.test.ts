import { describe, expect, it } from "vitest";
import { nearest, suggest } from "../../src/config/nearest.ts";
import { check, errorsOf } from "./support.ts";

describe("an unknown name", () => {
  it("of an endpoint is refused with the nearest one, without its configuration", () => {
    const output = { kafak: { topic: "b", url: "kafka://u:pw@host" } };
    expect(errorsOf({ output })).toEqual([
      'UNKNOWN_ENDPOINT output.kafak: unknown endpoint "kafak" (did you mean "kafka"?)',
    ]);
  });

  it("of an endpoint that is like none is refused with all that there are", () => {
    expect(errorsOf({ output: { pulsar: {} } })).toEqual([
      'UNKNOWN_ENDPOINT output.pulsar: unknown endpoint "pulsar" (known: file, kafka, memory, null, static)',
    ]);
  });

  it("of a middleware is refused", () => {
    expect(errorsOf({ output: { memory: {}, middlewares: [{ retrry: {} }] } })).toEqual([
      'UNKNOWN_MIDDLEWARE output.middlewares[0].retrry: unknown middleware "retrry" (did you mean "retry"?)',
    ]);
  });

  it("is refused with the package to install when that is known", () => {
    const options = {
      packageFor: (what: string, name: string) => (name === "otel" ? `@mqb/${name} (${what})` : undefined),
    };
    expect(errorsOf({ input: { memory: {}, middlewares: [{ otel: {} }] } }, options)).toEqual([
      'UNKNOWN_MIDDLEWARE input.middlewares[0].otel: the middleware "otel" is not installed (install @mqb/otel (middleware))',
    ]);
    expect(errorsOf({ output: { otel: {} } }, options)[0]).toContain("install @mqb/otel (endpoint)");
  });

  it("is none when it is an alias; the route then shows the canonical one", () => {
    expect(check({ output: { k: { topic: "a", url: "u" } } }).plan?.output.type).toBe("kafka");
  });

  it("is not found on the prototype of objects", () => {
    expect(errorsOf({ output: { constructor: {} } })[0]).toContain("UNKNOWN_ENDPOINT");
  });
});

describe("the nearest name", () => {
  const known = ["topic", "url", "batch_size", "concurrency"];
  it.each([
    ["topc", "topic"],
    ["tpoic", "topic"],
    ["TOPIC", "topic"],
    ["ulr", "url"],
    ["batchsize", "batch_size"],
    ["concurency", "concurrency"],
    ["x", undefined],
    ["", undefined],
    ["completely_other", undefined],
  ])("of %j is %s", (name, near) => {
    expect(nearest(name, known)).toBe(near);
  });

  it("is offered, else all of them", () => {
    expect(suggest("topc", known)).toBe('did you mean "topic"?');
    expect(suggest("zzzzzz", ["a", "b"])).toBe("known: a, b");
    expect(suggest("a", [])).toBe("known: none");
  });
});
