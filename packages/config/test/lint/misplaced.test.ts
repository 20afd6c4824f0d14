import { describe, expect, it } from "vitest";
import { linesOf, routeLines } from "./linted.ts";

describe("a field in the wrong place", () => {
  it.each([
    [
      "above its block",
      'input: {file: {path: a, format: csv, separator: ";"}}',
      /file\.separator: .*; "separator" is a field of "csv"; write csv: \{ separator: … \}$/,
    ],
    [
      "below what it stands beside",
      "input: {file: {path: a, csv: {delimiter: x}}}",
      /csv\.delimiter: .*; "delimiter" stands beside "csv", not inside it$/,
    ],
  ])("is told where it belongs: %s", (_, sides, message) => {
    expect(routeLines(sides)).toEqual([expect.stringMatching(message)]);
  });

  it("is told that it is not indented far enough", () => {
    const lines = linesOf("r:\n  input:\n    file:\n  path: a\n");
    expect(lines).toEqual([
      expect.stringMatching(
        /r\.path: a route has no field "path"; "path" is a field of "file": indent it below "file"$/,
      ),
    ]);
  });

  it("gets the known names when it belongs nowhere near", () => {
    expect(routeLines("input: {file: {path: a, zzzzzz: 1}}")).toEqual([expect.stringMatching(/; known: path, /)]);
  });
});

describe("a slip in `middlewares`", () => {
  const list = "[{retry: {max_attempts: 2}}]";

  it.each(["middleware", "middlwares", "Middlewares"])("is told the right name beside an endpoint: %s", (slip) => {
    const told = expect.stringMatching(`; did you mean "middlewares" by "${slip}"\\?$`);
    expect(routeLines(`input: {static: x}, output: {file: {path: a}, ${slip}: ${list}}`)).toEqual([told]);
    const inner = `{switch: {metadata_key: k, cases: {a: {file: {path: b}, ${slip}: ${list}}}}}`;
    expect(routeLines(`input: {static: x}, output: ${inner}`)).toEqual([told]);
    const dlq = `{dlq: {endpoint: {file: {path: b}, ${slip}: ${list}}}}`;
    expect(routeLines(`input: {static: x}, output: {file: {path: a}, middlewares: [${dlq}]}`)).toEqual([told]);
  });

  it("is told the right place inside an endpoint and in the route", () => {
    expect(routeLines(`input: {static: x}, output: {file: {path: a, middleware: ${list}}}`)).toEqual([
      expect.stringMatching(/; "middlewares" stands beside the endpoint type, not inside it$/),
    ]);
    expect(routeLines(`input: {static: x}, middleware: ${list}`)).toEqual([
      expect.stringMatching(/; "middlewares" stands in "input" or "output", beside the endpoint$/),
    ]);
  });
});
