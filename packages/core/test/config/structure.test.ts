import { describe, expect, it } from "vitest";
import { check, errorsOf } from "./support.ts";

const SECRET = "postgres://user:pw@host/db";

describe("the structure of an endpoint", () => {
  it("has `middlewares` beside the type, not inside", () => {
    expect(errorsOf({ input: { kafka: { topic: "a", url: "u", middlewares: [{ delay: {} }] } } })).toEqual([
      'UNKNOWN_FIELD input.kafka.middlewares: "kafka" has no field "middlewares" ("middlewares" stands beside the endpoint type, not inside it)',
    ]);
  });

  it("has no fields of the route inside", () => {
    expect(errorsOf({ input: { memory: { topic: "a", concurrency: 4 } } })).toEqual([
      'UNKNOWN_FIELD input.memory.concurrency: "memory" has no field "concurrency" ("concurrency" is a field of the route, not of an endpoint)',
    ]);
  });

  it("has one type, and the other key named with a guess where it belongs", () => {
    expect(errorsOf({ output: { memory: { topic: "b" }, file: { path: "f" } } })).toEqual([
      'TWO_ENDPOINTS output: an endpoint has one type; here are "memory" and "file"',
    ]);
    expect(errorsOf({ output: { memory: { topic: "b" }, capacity: 5 } })).toEqual([
      'TWO_ENDPOINTS output: an endpoint has one type; here are "memory" and "capacity" ("capacity" is no endpoint; does it belong inside "memory"?)',
    ]);
  });

  it("has a type on an input", () => {
    for (const input of [{}, { middlewares: [{ delay: {} }] }])
      expect(errorsOf({ input })).toEqual([
        "NO_ENDPOINT input: an input names an endpoint type (e.g. { memory: { topic: a } })",
      ]);
  });

  it.each([
    [SECRET, "a string"],
    [7, "a number"],
    [[{ memory: {} }], "a list"],
    [true, "a boolean"],
  ])("is a map, and what else it was is not repeated: %j", (output, what) => {
    expect(errorsOf({ output })).toEqual([
      `TYPE output: an endpoint is a map with one endpoint key, not ${what} (e.g. { memory: { topic: a } })`,
    ]);
  });

  it("may be left out on an output, in every spelling of null, with middlewares", () => {
    const spellings = [undefined, null, "null", {}, { null: null }, { null: {} }, { middlewares: [] }];
    for (const output of spellings) {
      const { plan, problems } = check({ output });
      expect(problems).toEqual([]);
      expect(plan?.output.type).toBe("null");
    }
    const { plan } = check({ output: { middlewares: [{ retry: {} }] } });
    expect(plan?.output.middlewares.map(({ name }) => name)).toEqual(["retry"]);
  });
});

describe("the structure of a route", () => {
  it("has an input", () => {
    const message = 'MISSING input: route "r" has no "input"';
    expect(errorsOf({ output: { memory: { topic: "b" } } }, {}, false)).toEqual([message]);
    expect(errorsOf({ input: null, output: null }, {}, false)).toEqual([message]);
  });

  it.each([
    [undefined, "nothing"],
    [null, "null"],
    [[], "a list"],
    [SECRET, "a string"],
  ])("is a map: %j", (route, what) => {
    expect(errorsOf(route, {}, false)).toEqual([`TYPE : a route is a map with "input" and "output", not ${what}`]);
  });

  it("has no unknown fields", () => {
    expect(errorsOf({ concurency: 4, zzz: 1 })).toEqual([
      'UNKNOWN_FIELD concurency: a route has no field "concurency" (did you mean "concurrency"?)',
      expect.stringMatching(
        /^UNKNOWN_FIELD zzz: a route has no field "zzz" \(known: input, output, .*required_delivery\)$/,
      ),
    ]);
  });

  it("is checked as a whole: every problem is named at once, in the order options, input, output", () => {
    const route = {
      batch_size: 0,
      input: { kafka: { topic: "a" }, middlewares: [{ retrry: {} }] },
      output: { kafak: {}, middlewares: [{ id: {} }] },
    };
    expect(errorsOf(route).map((text) => text.split(":")[0])).toEqual([
      "VALUE batch_size",
      "MISSING input.kafka.url",
      "UNKNOWN_MIDDLEWARE input.middlewares[0].retrry",
      "UNKNOWN_ENDPOINT output.kafak",
      "WRONG_SIDE output.middlewares[0].id",
    ]);
  });
});

describe("a `middlewares` list", () => {
  const output = (middlewares: unknown) => ({ output: { memory: { topic: "b" }, middlewares } });

  it("has entries of one key", () => {
    expect(errorsOf(output([{ retry: {}, delay: { delay_ms: 1 } }]))).toEqual([
      'TYPE output.middlewares[0]: an entry of "middlewares" has one key; here are "retry" and "delay" (start each middleware with a `-` of its own)',
    ]);
    expect(errorsOf(output([{ retry: {} }, {}, 5, null])).map((text) => text.split(" (")[0])).toEqual([
      "TYPE output.middlewares[1]: a middleware is a map with its name as the one key, not a map",
      "TYPE output.middlewares[2]: a middleware is a map with its name as the one key, not a number",
      "TYPE output.middlewares[3]: a middleware is a map with its name as the one key, not null",
    ]);
  });

  it.each([[{ retry: {} }], [{ 0: { retry: {} }, x: {} }], ["retry"], [3]])("is a list, not %j", (middlewares) => {
    expect(errorsOf(output(middlewares))).toEqual([
      'TYPE output.middlewares: "middlewares" is a list (write each one as `- name: { … }`)',
    ]);
  });

  it.each([[undefined], [null], [[]], [{}]])("may be empty: %j", (middlewares) => {
    expect(check(output(middlewares)).plan?.output.middlewares).toEqual([]);
  });

  it("may have entries without a configuration", () => {
    const { plan } = check(output(["delay", { retry: null }]));
    expect(plan?.output.middlewares.map(({ name, config }) => [name, config])).toEqual([
      ["delay", {}],
      ["retry", {}],
    ]);
  });

  it("may have its entries in any order", () => {
    const dlq = { dlq: { endpoint: { file: { path: "f" } } } };
    expect(errorsOf(output([dlq, { retry: {} }]))).toEqual([]);
    expect(errorsOf(output([{ retry: {} }, dlq]))).toEqual([]);
  });
});
