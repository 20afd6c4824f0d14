import { describe, expect, it } from "vitest";
import { optionsTable } from "../generate/options-table.mjs";

const object = (properties: object, required: readonly string[] = []) => ({ type: "object", properties, required });
const rows = (schema: object) => optionsTable(schema).trimEnd().split("\n").slice(2);

describe("an options table", () => {
  it("says type, default or need, and purpose of each option", () => {
    const schema = object(
      {
        path: { type: "string", description: "The file", examples: ["a.csv"] },
        size: { type: "integer", minimum: 1, maximum: 9, default: 4, aliases: ["bytes"] },
        password: { type: "string", description: "For the login.", secret: true },
      },
      ["path", "size"],
    );
    expect(rows(schema)).toEqual([
      "| `path` | string | required | The file. Example: `a.csv`. |",
      "| `size` | integer, 1 to 9 | `4` | Also spelled `bytes`. |",
      "| `password` | string |  | For the login. Secret: shown nowhere. |",
    ]);
  });

  it("lists what is inside of objects, lists, maps and alternatives with its path", () => {
    const inner = object({ b: { type: "boolean" } });
    const schema = object({
      one: inner,
      many: { type: "array", items: inner },
      named: { type: "object", additionalProperties: inner },
      either: { anyOf: [{ type: "string" }, inner] },
    });
    expect(
      rows(schema).map((row) =>
        row
          .split("|")
          .slice(1, 3)
          .map((cell) => cell.trim()),
      ),
    ).toEqual([
      ["`one`", "object"],
      ["`one.b`", "boolean"],
      ["`many`", "list of object"],
      ["`many[].b`", "boolean"],
      ["`named`", "map of object"],
      ["`named.*.b`", "boolean"],
      ["`either`", "string or object"],
      ["`either.b`", "boolean"],
    ]);
  });

  it("ends where a schema contains itself", () => {
    const schema = {
      ...object({ next: { $ref: "#" }, other: { $ref: "#/$defs/leaf" } }),
      $defs: { leaf: { const: "x" } },
    };
    expect(rows(schema)).toEqual(["| `next` | object |  |  |", '| `other` | `"x"` |  |  |']);
  });

  it("keeps the bars of a text from cutting a cell", () => {
    const schema = object({ a: { enum: ["x|y", "z"], description: "x | y\nor z" } });
    expect(rows(schema)).toEqual(['| `a` | `"x\\|y"`, `"z"` |  | x \\| y or z. |']);
  });

  it("names the short forms of a configuration that need not be an object", () => {
    const schema = {
      anyOf: [{ type: "string", description: "The path alone" }, object({ path: { type: "string" } }, ["path"])],
    };
    expect(optionsTable(schema)).toContain("- string: The path alone.\n- object, with these options\n\n| Option");
  });

  it("does not mention null, which is the same as leaving an option out", () => {
    expect(
      rows(object({ a: { type: ["integer", "null"] }, b: { anyOf: [{ type: "string" }, { type: "null" }] } })),
    ).toEqual(["| `a` | integer |  |  |", "| `b` | string |  |  |"]);
  });

  it("says so when there are none", () => {
    expect(optionsTable(object({}))).toBe("It takes no options.\n");
    expect(optionsTable({ "x-mqb-endpoint": "input", description: "what is read" })).toBe(
      "It is written as endpoint: what is read.\n",
    );
    expect(optionsTable({ type: "string", description: "the name" })).toBe("It is written as string: the name.\n");
  });
});
