import { describe, expect, it } from "vitest";
import type { ConfigSchema, SchemaIssue } from "../../src/contract/schema.ts";
import { middleware } from "../fakes/plugin.ts";
import { check, errorsOf } from "./support.ts";

describe("a field", () => {
  it("that an endpoint does not have is refused with the nearest", () => {
    expect(errorsOf({ output: { memory: { topic: "b", capasity: 5 } } })).toEqual([
      'UNKNOWN_FIELD output.memory.capasity: "memory" has no field "capasity" (did you mean "capacity"?)',
    ]);
  });

  it("that a middleware does not have is refused under the middleware's name", () => {
    expect(errorsOf({ output: { memory: {}, middlewares: [{ retry: { max_atempts: 5, x: 1 } }] } })).toEqual([
      'UNKNOWN_FIELD output.middlewares[0].retry.max_atempts: "retry" has no field "max_atempts" (did you mean "max_attempts"?)',
      'UNKNOWN_FIELD output.middlewares[0].retry.x: "retry" has no field "x" (known: max_attempts)',
    ]);
  });

  it("that is required must be there", () => {
    expect(errorsOf({ output: { file: {} } })).toEqual(['MISSING output.file.path: "file" needs the field "path"']);
    expect(errorsOf({ output: { file: null } })).toEqual(['MISSING output.file.path: "file" needs the field "path"']);
  });

  it("must fit, and its value is not repeated", () => {
    expect(errorsOf({ output: { file: { path: 12345 } } })).toEqual([
      'VALUE output.file.path: "path" of "file" is a number that does not fit: expected a text',
    ]);
    expect(errorsOf({ output: { file: "secret" } })).toEqual([
      'VALUE output.file: "file" is a string that does not fit: expected a map',
    ]);
  });

  it("that takes the route's name does so when it is absent", () => {
    expect(check({ input: { memory: null } }).plan?.input.config).toEqual({ topic: "r" });
    expect(check({ input: { memory: { capacity: 1 } } }).plan?.input.config).toEqual({ topic: "r", capacity: 1 });
    expect(check({ input: { memory: { topic: "own" } } }).plan?.input.config).toEqual({ topic: "own" });
  });
});

describe("an issue of a schema", () => {
  const route = { output: { memory: {}, middlewares: [{ odd: { list: [{ a: 1 }], map: { one: "x" } } }] } };
  const odd = (issues: readonly SchemaIssue[], properties: Record<string, unknown> = {}) => {
    const schema: ConfigSchema = {
      "~standard": {
        version: 1,
        vendor: "odd",
        validate: () => ({ issues }),
        jsonSchema: { input: () => ({ properties }) },
      },
    };
    return errorsOf(route, { middlewares: { odd: middleware({ schema, output: (inner) => inner }) } });
  };

  it("has its place in lists and maps, also with path parts as objects", () => {
    expect(odd([{ message: "too small", path: [{ key: "list" }, 0, "a"] }])).toEqual([
      'VALUE output.middlewares[0].odd.list[0].a: "list[0].a" of "odd" is a number that does not fit: too small',
    ]);
    expect(odd([{ message: "?", path: ["list", 3, "b"] }])[0]).toContain(
      "MISSING output.middlewares[0].odd.list[3].b:",
    );
    expect(odd([{ message: "whole" }])).toEqual([
      'VALUE output.middlewares[0].odd: "odd" is a map that does not fit: whole',
    ]);
  });

  it("about an unknown key below suggests the fields of that place, also of alternatives", () => {
    const unknown = [{ message: "", path: ["map"], keys: ["oen"] }];
    expect(odd(unknown, { map: { properties: { one: {} } } })[0]).toContain('(did you mean "one"?)');
    expect(odd(unknown, { map: { anyOf: [{ type: "string" }, { properties: { one: {} } }] } })[0]).toContain('"one"');
    expect(odd(unknown)[0]).toContain('"odd" has no field "map.oen" (known: none)');
  });
});

describe("a schema that answers with a promise", () => {
  it("is a fault of its plugin, and leaves no rejection behind", () => {
    const schema: ConfigSchema = {
      "~standard": { version: 1, vendor: "x", validate: () => Promise.reject(new Error("late")) },
    };
    const options = { middlewares: { odd: middleware({ schema, output: (inner) => inner }) } };
    expect(errorsOf({ output: { memory: {}, middlewares: ["odd"] } }, options)).toEqual([
      "MQB_CORE_ASYNC_SCHEMA output.middlewares[0]: the configuration schema of odd answers with a promise; it must be synchronous",
    ]);
  });
});
