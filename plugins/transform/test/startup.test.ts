import { createRegistry } from "@mqb/core";
import type { CheckContext, Finding } from "@mqb/core/plugin";
import expression from "@mqb/expression";
import { describe, expect, it } from "vitest";
import plugin, { type TransformConfig } from "../src/index.ts";

const context = { expressions: () => expression.expressions! } as unknown as CheckContext;

function check(config: TransformConfig): readonly Finding[] {
  return plugin.middlewares!["transform"]!.check!(config, context);
}

function faultIn(schema: Record<string, unknown>): string {
  const [finding] = check({ schema });
  expect(finding).toMatchObject({ level: "error", path: ["schema"] });
  return finding!.message;
}

describe("transform before the start", () => {
  it("accepts nothing at all, keys with dots, and the honoured keywords", () => {
    expect(check({})).toEqual([]);
    expect(check({ mapping: { "a.b": "$.x", a: { path: "y" } }, expression: "{ a: b }" })).toEqual([]);
    const inner = { type: "object", properties: { k: { type: ["string", "null"], nullable: true, enum: ["a"] } } };
    const schema = { type: "string", contentMediaType: "application/json", contentSchema: inner, title: "t", "x-y": 1 };
    expect(check({ schema: { ...schema, description: "d", examples: [1], $schema: "s", format: "f" } })).toEqual([]);
  });

  it("finds all faults at once, each at its place", () => {
    const findings = check({
      mapping: { "a..b": "$.x", c: "$.items[", d: { path: "" } },
      expression: "{ a: ",
      schema: { type: "strng" },
      schema_file: "s.json",
    });
    expect(findings.map(({ path, code }) => [path.join("."), code])).toEqual([
      ["", "MQB_TRANSFORM_TWO_SCHEMAS"],
      ["mapping.a..b", "MQB_TRANSFORM_MAPPING_KEY"],
      ["mapping.c", "MQB_JSON_PATH"],
      ["mapping.d", "MQB_JSON_PATH"],
      ["expression", "MQB_EXPRESSION_SYNTAX"],
      ["schema", "MQB_TRANSFORM_SCHEMA"],
    ]);
  });

  it("says what is wrong in a schema, and where", () => {
    expect(faultIn({ properties: { a: { items: { type: "strng" } } } })).toMatch(
      /type is "strng"; there are: .*\$\.a\[\]/,
    );
    expect(faultIn({ type: ["string", "integer"] })).toContain("more than one beside null: string, integer");
    expect(faultIn({ type: 5 })).toContain("type must be a text");
    expect(faultIn({ properties: [] })).toContain("properties must be an object");
    expect(faultIn({ properties: { "a.b": true } })).toContain("a schema must be an object (at $['a.b'])");
    expect(faultIn({ items: [{}] })).toContain("a schema must be an object");
    expect(faultIn({ required: "a" })).toContain("required must be a list of texts");
    expect(faultIn({ enum: 5 })).toContain("enum must be a list");
    expect(faultIn({ contentMediaType: 5 })).toContain("contentMediaType must be a text");
    expect(faultIn({ properties: { a: { type: "integer", default: "x" } } })).toContain(
      "at $.a, cannot coerce string to integer",
    );
    expect(faultIn({ properties: { a: { properties: { b: { enum: [1] } }, default: { b: 2 } } } })).toContain(
      "at $.a.b, value is not one of [1]",
    );
  });

  it("names the keywords of a schema that it will not check", () => {
    const schema = { additionalProperties: false, properties: { a: { type: "string", pattern: "^a", maxLength: 5 } } };
    expect(check({ schema })).toEqual([
      {
        level: "note",
        path: ["schema"],
        code: "MQB_TRANSFORM_SCHEMA_IGNORED",
        message: expect.stringContaining(
          "additionalProperties at $, pattern at $.a, maxLength at $.a will not be checked",
        ),
      },
    ]);
  });

  it("takes a schema with a default that does not fit when defaults are off", () => {
    expect(check({ schema: { type: "integer", default: "x" }, apply_defaults: false })).toEqual([]);
  });

  it("can be registered beside the expression language", () => {
    expect(() => createRegistry([plugin, expression])).not.toThrow();
  });
});
