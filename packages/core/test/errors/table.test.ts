import { describe, expect, it } from "vitest";
import { formatPath } from "../../src/config/path.ts";
import { coreErrors } from "../../src/errors/errors.ts";
import { isMqbError } from "../../src/errors/mqb-error.ts";
import { defineErrors, errorRow } from "../../src/errors/table.ts";

const errors = defineErrors("MQB_TEST", {
  NOT_FOUND: errorRow<{ path: string }>({
    kind: "config",
    message: (p) => `no file ${p.path}`,
    hint: (p) => `create ${p.path}`,
  }),
  BUSY: errorRow<Record<string, never>>({ kind: "retryable", message: () => "busy" }),
});

describe("a table of errors", () => {
  it("makes errors with code, kind, message, hint and cause", () => {
    const cause = new Error("ENOENT");
    const error = errors.NOT_FOUND({ path: "a.txt" }, { cause });
    expect(isMqbError(error)).toBe(true);
    expect(error).toMatchObject({
      code: "MQB_TEST_NOT_FOUND",
      kind: "config",
      message: "no file a.txt",
      hint: "create a.txt",
      cause,
    });
  });

  it("lets the place that throws give its own hint and mark the error as exhausted", () => {
    const error = errors.NOT_FOUND({ path: "a" }, { hint: "look elsewhere", exhausted: true });
    expect(error).toMatchObject({ hint: "look elsewhere", exhausted: true });
    expect("hint" in errors.BUSY({})).toBe(false);
  });

  it("shows code and kind without making an error", () => {
    expect(errors.BUSY.code).toBe("MQB_TEST_BUSY");
    expect(errors.BUSY.kind).toBe("retryable");
    expect(Object.keys(errors)).toEqual(["NOT_FOUND", "BUSY"]);
  });
});

describe("core's table", () => {
  it("has codes that say their package", () => {
    for (const [key, make] of Object.entries(coreErrors)) expect(make.code).toBe(`MQB_CORE_${key}`);
  });

  it("lists every problem of a route with its place and what to do", () => {
    const problems = [
      { path: ["output", "middlewares", 0, "retry"], message: "no", hint: "yes" },
      { path: [], message: "whole" },
    ];
    expect(coreErrors.INVALID_ROUTE({ route: "r", problems }).message).toBe(
      'route "r" cannot start: output.middlewares[0].retry: no (yes); whole',
    );
  });
});

describe("a path", () => {
  it.each([
    [[], ""],
    [["output", "fanout", 0, "file"], "output.fanout[0].file"],
    [[0, "a"], "[0].a"],
  ])("%j is written %j", (path, text) => {
    expect(formatPath(path)).toBe(text);
  });
});
