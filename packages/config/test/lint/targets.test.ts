import { describe, expect, it } from "vitest";
import { routeLines } from "./linted.ts";

describe("dead letters", () => {
  const letters = (output: string, endpoint: string) =>
    routeLines(`input: {static: x}, output: {${output}, middlewares: [{dlq: {endpoint: {${endpoint}}}}]}`);

  it.each([
    ["memory: {topic: b}", "memory: {topic: memory://b, capacity: 5}"],
    ['http: {url: "https://h"}', 'http: {url: "https://h"}'],
  ])("are warned of when they go where the message failed: %s", (output, endpoint) => {
    expect(letters(output, endpoint)).toEqual([
      expect.stringMatching(
        /^warning MQB_LINT_DEAD_LETTERS .*dlq\.endpoint.*which is the output that just failed; use another target$/,
      ),
    ]);
  });

  it.each([
    ["memory: {topic: b}", "memory: {topic: c}"],
    ['http: {url: "https://h"}', 'http: {url: "https://h/failed"}'],
    ["null: null", "null: null"],
  ])("are fine elsewhere: %s", (output, endpoint) => {
    expect(letters(output, endpoint)).toEqual([]);
  });
});

describe("a response", () => {
  it("is warned of over an input that passes no answers on", () => {
    expect(routeLines("input: {file: {path: a}}, output: {response: {}}")).toEqual([
      expect.stringMatching(/^warning MQB_LINT_NO_ANSWER .*"file" passes no answers on/),
    ]);
    const nested = 'output: {request: {to: {http: {url: "https://h"}}, forward_to: {response: {}}}}';
    expect(routeLines(`input: {file: {path: a}}, ${nested}`)).toHaveLength(1);
  });

  it("is fine over one that does", () => {
    expect(routeLines('input: {http: {url: "127.0.0.1:8080"}}, output: {response: {}}')).toEqual([]);
  });
});

describe("null", () => {
  it("takes nothing", () => {
    expect(routeLines("input: {static: x}, output: {null: {}}")).toEqual([
      expect.stringMatching(/^error MQB_LINT_NULL .*"null" takes no value, not even {}; write output: null$/),
    ]);
    expect(routeLines("input: {static: x}, output: {null: null}")).toEqual([]);
  });
});
