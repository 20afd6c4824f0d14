import { createBridge, createRegistry } from "@mqb/core";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";

const bridge = createBridge({ registry: createRegistry([standard]) });
const check = (endpoint: unknown, side: "input" | "output" = "output") =>
  bridge.check("r", { input: { memory: { topic: "a" } }, [side]: { static: endpoint } }).problems;

it.each([
  ["x ${gen:uuid", /\$\{gen:uuid/],
  ["${payload:a | upper}", /\$\{payload:a \| upper\}.*raw, base64/],
  ["${gen:ulid}", /\$\{gen:ulid\}/],
  ["${message:nope}", /\$\{message:nope\}/],
  ["${env:MQB_UNSET}", /MQB_UNSET/],
])("refuses the body %j on both sides, in both forms, before anything opens", (body, message) => {
  for (const side of ["input", "output"] as const) {
    for (const endpoint of [body, { body, raw: true }]) {
      expect(check(endpoint, side)).toEqual([
        expect.objectContaining({
          level: "error",
          code: "MQB_STANDARD_TEMPLATE",
          message: expect.stringMatching(message),
        }),
      ]);
    }
  }
});

it.each([
  [{ raw: true }, "body"],
  [{ body: 5 }, "body"],
  [{ body: "x", raw: "yes" }, "raw"],
  [{ body: "x", metadata: { a: 1 } }, "a"],
  [{ body: "x", meta: {} }, "meta"],
])("refuses %j and names %s", (endpoint, field) => {
  const found = check(endpoint);
  expect(found).toHaveLength(1);
  expect(found[0]!.path.at(-1)).toBe(field);
});

it("takes unknown namespaces, escapes and empty bodies", () => {
  for (const body of ["${other:x}", "$${gen:nope}", "$$", ""]) expect(check(body)).toEqual([]);
});
