import { describe, expect, it } from "vitest";
import { check, errorsOf } from "./support.ts";

describe("`custom`", () => {
  it("is another spelling of a registered endpoint or middleware", () => {
    const custom = (name: string, config: unknown) => ({ custom: { name, config } });
    const { plan, problems } = check({
      output: { ...custom("file", { path: "f" }), middlewares: [custom("retry", { max_attempts: 1 })] },
    });
    expect(problems).toEqual([]);
    expect(plan?.output).toMatchObject({ type: "file", config: { path: "f" } });
    expect(plan?.output.middlewares[0]).toMatchObject({ name: "retry", config: { max_attempts: 1 } });
  });

  const sides: [string, (custom: unknown) => unknown, string][] = [
    ["endpoint", (custom) => ({ output: { custom } }), "output.custom"],
    ["middleware", (custom) => ({ input: { memory: {}, middlewares: [{ custom }] } }), "input.middlewares[0].custom"],
  ];
  describe.each(sides)("as %s", (what, route, path) => {
    it("needs a name and a configuration", () => {
      expect(errorsOf(route({ config: {} }))).toEqual([
        `MISSING ${path}.name: "custom" needs the field "name", a text`,
      ]);
      expect(errorsOf(route({ name: "delay" }))[0]).toBe(
        `MISSING ${path}.config: "custom" needs the field "config" (write {} for an empty one)`,
      );
      expect(errorsOf(route({})).map((text) => text.split(":")[0])).toEqual([
        `MISSING ${path}.config`,
        `MISSING ${path}.name`,
      ]);
    });

    it("has no other fields and is a map", () => {
      expect(errorsOf(route({ name: "file", config: { path: "f" }, cfg: 1 }))[0]).toBe(
        `UNKNOWN_FIELD ${path}.cfg: "custom" has no field "cfg" (it has: name, config)`,
      );
      expect(errorsOf(route("file"))).toEqual([`TYPE ${path}: "custom" is a map of "name" and "config", not a string`]);
    });

    it("names something registered", () => {
      expect(errorsOf(route({ name: "nobody", config: {} }))).toEqual([
        expect.stringMatching(
          new RegExp(`^UNKNOWN_${what.toUpperCase()} .*: unknown ${what} "nobody" \\(known: .*\\)$`),
        ),
      ]);
    });
  });

  it("shows problems of the configuration at their place", () => {
    expect(errorsOf({ output: { custom: { name: "file", config: { pth: "f" } } } })).toContain(
      'MISSING output.custom.config.path: "file" needs the field "path"',
    );
  });
});
