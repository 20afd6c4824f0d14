import { describe, expect, it } from "vitest";
import { loadConfiguration, renderProblem } from "../src/index.ts";

const load = (text: string) => loadConfiguration([{ name: "c.yml", text, format: "yaml" }], {});
const lines = (text: string) => load(text).problems.map((problem) => renderProblem(problem));

const ROUTE = "a:\n  input: {static: x}\n";

describe("a configuration that was copied from somewhere", () => {
  it("is refused when a second document follows, which would be left out", () => {
    expect(lines(`${ROUTE}---\nb:\n  input: {static: y}\n`)).toEqual([
      expect.stringMatching(/^c\.yml:3:\d: a second document begins here/),
    ]);
  });

  it("may begin with the mark of a document", () => {
    expect(load(`---\n${ROUTE}`)).toMatchObject({ routes: [{ name: "a" }], problems: [] });
  });

  it("may have a byte-order mark and carriage returns", () => {
    const { routes, problems } = load(`\uFEFF${ROUTE.replaceAll("\n", "\r\n")}`);
    expect(problems).toEqual([]);
    expect(routes).toMatchObject([{ name: "a", config: { input: { static: "x" } } }]);
  });

  it("is refused with the place of a tab", () => {
    expect(lines("a:\n\tinput: {static: x}\n")).toEqual([expect.stringMatching(/^c\.yml:2:1: not YAML: Tabs/)]);
  });

  it("may keep what its anchors name under keys that begin with x-", () => {
    const { routes, problems } = load(`x-retry: &retry {max_attempts: 5}\n${ROUTE}  output:\n    r: {<<: *retry}\n`);
    expect(problems).toEqual([]);
    expect(routes).toMatchObject([{ name: "a", config: { output: { r: { max_attempts: 5 } } } }]);
  });
});
