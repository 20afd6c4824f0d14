import { describe, expect, it } from "vitest";
import { transformed } from "./transforming.ts";

const object = (properties: Record<string, unknown>) => ({ type: "object", properties });
const parsed = <T>(text: string): T => JSON.parse(text) as T;

describe("hostile payloads and schemas", () => {
  it("reach no prototype", async () => {
    const text = '{"__proto__":{"polluted":"1"},"constructor":"2","toString":"3"}';
    const schema = parsed<Record<string, unknown>>(
      '{"properties":{"__proto__":{"properties":{"polluted":{"type":"integer"}}},"constructor":{"type":"integer"},"toString":{"type":"integer"}},"required":["hasOwnProperty"]}',
    );
    expect(await transformed({ schema: { ...schema, required: [] } }, [text])).toEqual([
      '{"__proto__":{"polluted":1},"constructor":2,"toString":3}',
    ]);
    expect(await transformed({ schema }, ["{}"])).toEqual([
      expect.stringContaining("$.hasOwnProperty [missing_required]"),
    ]);
    const mapping = parsed<Record<string, string>>(
      '{"__proto__.polluted":"__proto__.polluted","constructor":"constructor"}',
    );
    expect(await transformed({ mapping }, [text, "{}"])).toEqual([
      '{"__proto__":{"polluted":"1"},"constructor":"2"}',
      "{}",
    ]);
    expect(Object.keys({})).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("nest as deep as they like", async () => {
    const deep = (depth: number) => `{"v":"1","d":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    const schema = object({ v: { type: "integer" } });
    const [fine, refused] = await transformed({ schema }, [deep(500), deep(100_000)]);
    expect(fine).toBe(deep(500).replace('"1"', "1"));
    expect(refused).toMatch(/^\$ \[parse\]: .*nests deeper than/);
  });

  it("repeat keys at every level without costing more than a little each", async () => {
    let schema: Record<string, unknown> = { type: "integer" };
    let text = '"1"';
    for (let level = 0; level < 40; level++) {
      schema = object({ k: schema });
      text = `{"k":${level === 0 ? '"x"' : "{}"},"k":${text}}`;
    }
    const [result] = await transformed({ schema }, [text]);
    expect(result).toBe(`${'{"k":'.repeat(40)}1${"}".repeat(40)}`);
  });

  it("hold long runs of blanks and digits", async () => {
    const schema = object({ i: { type: "integer" }, n: { type: "number" } });
    const blanks = " ".repeat(200_000);
    const zeros = "0".repeat(200_000);
    expect(
      await transformed({ schema }, [
        `{"i":"${blanks}x${blanks}"}`,
        `{"i":"${zeros}7"}`,
        `{"n":"${blanks}1${blanks}"}`,
        `{"n":"1${zeros}x"}`,
        `{"i":"${zeros}${zeros}x"}`,
      ]),
    ).toEqual([
      "$.i [coercion]: cannot coerce string to integer",
      '{"i":7}',
      '{"n":1}',
      "$.n [coercion]: cannot coerce string to number",
      "$.i [coercion]: cannot coerce string to integer",
    ]);
  });

  it("have more fields than a schema, and a schema more than they", async () => {
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`field${i}`, { type: "integer" }]));
    const wide = `{${Array.from({ length: 4000 }, (_, i) => `"field${3999 - i}":"${i}"`).join(",")}}`;
    const [result] = await transformed({ schema: object(many) }, [wide]);
    const value = JSON.parse(result!) as Record<string, unknown>;
    expect([value["field0"], value["field1999"], value["field2000"]]).toEqual([3999, 2000, "1999"]);
  });
});
