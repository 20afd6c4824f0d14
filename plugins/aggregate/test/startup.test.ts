import type { CheckContext, Finding } from "@mqb/core/plugin";
import expression from "@mqb/expression";
import { describe, expect, it } from "vitest";
import type { AggregateConfig } from "../src/index.ts";
import { byK, definition } from "./folding.ts";

const context = { expressions: () => expression.expressions! } as unknown as CheckContext;

function check(config: AggregateConfig): readonly Finding[] {
  return definition.check!(config, context);
}

function codes(config: AggregateConfig): string[] {
  return check(config).map(({ path, code }) => `${path.join(".")} ${code.replace("MQB_AGGREGATE_", "")}`);
}

describe("aggregate before the start", () => {
  it("accepts entries of both kinds, times beside expressions, and any number of keys", () => {
    const entries = [
      { key: "${payload:k}", into: "f", fields: { n: "count" } },
      { key: "${metadata:m}", into: "x", expression: "state ?? 0", output: "state", emit: "previous" as const },
      { key: ["a", "b.c"], into: "l", fields: { e: "ema(v, 1.5h)" } },
    ];
    expect(check({ consistency: "single_writer", entries, time: "t", max_keys: 0 })).toEqual([]);
    expect(check({ ...byK, fields: { n: "count" }, entries })).toEqual([]);
  });

  it("asks for a place for the states", () => {
    const fields = { n: "count" };
    expect(codes({ key: "${payload:k}", into: "a", fields })).toEqual([" NO_STORE"]);
    expect(codes({ ...byK, fields, read_only: true })).toEqual(["read_only READ_ONLY"]);
    expect(codes({ ...byK, fields, store: "mysql://localhost/db" })).toEqual(["store STORE_SCHEME"]);
    expect(codes({ ...byK, fields, store: "redis://localhost" })).toEqual(["store STORE_SCHEME"]);
    expect(codes({ ...byK, fields, store: "postgres://localhost/db", table: "t" })).toEqual(["table TABLE"]);
    expect(codes({ ...byK, fields, table: "t" })).toEqual(["table TABLE"]);
    expect(codes({ ...byK, fields, store: "states.json", table: "t" })).toEqual([]);
  });

  it("asks what to compute, and where to write it", () => {
    expect(codes({ consistency: "single_writer" })).toEqual([" NO_ENTRY"]);
    expect(codes({ consistency: "single_writer", key: "${payload:k}", fields: { n: "count" } })).toEqual([" NO_INTO"]);
    expect(codes(byK)).toEqual([" NOTHING_TO_COMPUTE"]);
    expect(codes({ ...byK, fields: {} })).toEqual(["fields NOTHING_TO_COMPUTE"]);
    expect(codes({ ...byK, expression: "1", fields: { n: "count" } })).toEqual(["expression BOTH"]);
    expect(codes({ ...byK, output: "state", fields: { n: "count" } })).toEqual(["output OUTPUT_OF_FIELDS"]);
    const entries = [{ key: "${payload:k}", into: "a", fields: { n: "count" } }];
    expect(codes({ consistency: "single_writer", into: "b", fields: { n: "count" }, entries })).toEqual([
      "fields WITHOUT_KEY",
      "into WITHOUT_KEY",
    ]);
  });

  it("finds all faults at once, each at its place", () => {
    const entries = [
      { key: "${gen:nothing}", into: "x[0]", fields: { a: "median(v)", b: "count", c: "sum()" } },
      { key: "all", into: "a", expression: "{ n: " },
      { key: "${payload:k}", into: "c", expression: "state", output: "state +" },
      { key: ["a..b"], into: "d", fields: { n: "count" } },
    ];
    expect(codes({ ...byK, fields: { n: "count" }, entries, time: "a..b" })).toEqual([
      "time MQB_JSON_PATH",
      "entries.0.key MQB_STANDARD_TEMPLATE",
      "entries.0.into INTO",
      "entries.0.fields.a FIELD",
      "entries.0.fields.c FIELD",
      "entries.1.key KEY",
      "entries.1.into INTO",
      "entries.1.expression MQB_EXPRESSION_SYNTAX",
      "entries.2.output MQB_EXPRESSION_SYNTAX",
      "entries.3.key MQB_JSON_PATH",
    ]);
  });

  it.each([
    ["median(v)", /median is unknown; there are: count, sum, .*decayed_sum/],
    ["sum", /sum is written sum\(path\)/],
    ["sum()", /sum\(path\)/],
    ["sum(a, b)", /sum\(path\)/],
    ["sum(a..b)", /a key between dots is empty/],
    ["count(v)", /count is written count/],
    ["ema(v)", /ema\(path, alpha or half-life\)/],
    ["ema(v, 0)", /0 < alpha <= 1/],
    ["ema(v, 1.5)", /0 < alpha <= 1/],
    ["ema(v, -1)", /0 < alpha <= 1/],
    ["ema(v, 5w)", /units ms, s, m, h, d/],
    ["ema(v, 0s)", /must be more than 0/],
    ["ema(v, m)", /no half-life/],
    ["decayed_count(10)", /half-life "10" needs one of the units/],
    ["decayed_sum(v)", /decayed_sum\(path, half-life\)/],
    ["sum(v", /a name, or name\(input/],
    ["sum(max(v))", /a name, or name\(input/],
    ["toString(v)", /toString is unknown/],
  ])("refuses the built-in aggregate %s", (written, reason) => {
    const [finding, ...others] = check({ ...byK, fields: { "my field": written } });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ path: ["fields", "my field"], code: "MQB_AGGREGATE_FIELD" });
    expect(finding!.message).toContain(`fields.my field: "${written}"`);
    expect(finding!.message).toMatch(reason);
  });
});
