import { API_VERSION, checkRoute, createRegistry, defineEndpoint, definePlugin } from "@mqb/core";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const branch = z.strictObject({ to: z.string(), weight: z.int().optional() });
const auth = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("basic"), user: z.string() }),
  z.strictObject({ type: z.literal("token"), token: z.string() }),
]);
const schema = z.strictObject({
  target: z.union([z.enum(["first", "last"]), z.int().min(0), branch, z.array(branch)]).optional(),
  auth: auth.optional(),
  tagged: z
    .union([
      z.strictObject({ kind: z.literal("a"), size: z.int() }),
      z.strictObject({ kind: z.literal("b"), name: z.string() }),
    ])
    .optional(),
  plain: z.union([z.strictObject({ url: z.string() }), z.strictObject({ host: z.string() })]).optional(),
  nested: z.union([z.boolean(), z.union([z.int(), z.strictObject({ at: z.int() })])]).optional(),
});
const union = defineEndpoint({
  description: "An endpoint with fields of several forms.",
  schema,
  output: {
    capabilities: () => ({ acknowledges: true, replies: false, orderedPublish: false, idempotent: false }),
    open: () => expect.unreachable(),
  },
});
const registry = createRegistry([definePlugin({ name: "test", apiVersion: API_VERSION, endpoints: { union } })]);

/** The problems of the endpoint `union`, as `path: message (hint)`. */
function problems(config: unknown): string[] {
  return checkRoute(registry, "r", { input: {}, output: { union: config } })
    .problems.filter(({ path }) => path[0] === "output")
    .map(
      ({ path, message, hint }) => `${path.slice(2).join(".")}: ${message}${hint === undefined ? "" : ` (${hint})`}`,
    );
}

describe("a value that fits none of several forms", () => {
  it("is told what is wrong with the form of its type, at its place", () => {
    expect(problems({ target: "middle" })).toEqual([
      'target: "target" of "union" is a string that does not fit: Invalid option: expected one of "first"|"last"',
    ]);
    expect(problems({ target: -1 })[0]).toContain("expected number to be >=0");
    expect(problems({ target: { to: "a", weigth: 2 } })).toEqual([
      'target.weigth: "union" has no field "target.weigth" (did you mean "weight"?)',
    ]);
    expect(problems({ target: { weight: 2 } })).toEqual(['target.to: "union" needs the field "target.to"']);
    expect(problems({ target: [{ to: "a" }, { to: 3 }] })).toEqual([
      'target.1.to: "target[1].to" of "union" is a number that does not fit: Invalid input: expected string, received number',
    ]);
  });

  it("is told the forms when it has the type of none", () => {
    expect(problems({ target: true })).toEqual([
      'target: "target" of "union" is a boolean that does not fit: none of its forms: Invalid option: expected one of "first"|"last"; Invalid input: expected number, received boolean; Invalid input: expected object, received boolean; Invalid input: expected array, received boolean',
    ]);
  });

  it("is told about the form that its discriminator picks", () => {
    expect(problems({ auth: { type: "basic", usr: "a" } })).toEqual([
      'auth.user: "union" needs the field "auth.user"',
      'auth.usr: "union" has no field "auth.usr" (did you mean "user"?)',
    ]);
    expect(problems({ tagged: { kind: "b", name: 7 } })).toEqual([
      'tagged.name: "tagged.name" of "union" is a number that does not fit: Invalid input: expected string, received number',
    ]);
  });

  it("is told which discriminators there are", () => {
    expect(problems({ auth: { type: "tokn" } })).toEqual([
      "auth.type: \"auth.type\" of \"union\" is a string that does not fit: Invalid discriminator value. Expected 'basic' | 'token'",
    ]);
    expect(problems({ auth: {} })).toEqual(['auth.type: "union" needs the field "auth.type"']);
  });

  it("is told why each form is refused when it could be any", () => {
    expect(problems({ plain: { hst: "a" } })).toEqual([
      'plain: "plain" of "union" is a map that does not fit: none of its forms: "url" Invalid input: expected string, received undefined, Unrecognized key: "hst"; "host" Invalid input: expected string, received undefined, Unrecognized key: "hst"',
    ]);
  });

  it("is told so through forms inside forms", () => {
    expect(problems({ nested: { at: "x" } })).toEqual([
      'nested.at: "nested.at" of "union" is a string that does not fit: Invalid input: expected number, received string',
    ]);
    expect(problems({ nested: "x" })[0]).toContain("expected boolean, received string; none of its forms:");
  });
});
