import { createBridge, createRegistry } from "@mqb/core";
import { expect, it } from "vitest";
import plugin from "../src/index.ts";

const bridge = createBridge({ registry: createRegistry([plugin]) });
const check = (side: "input" | "output", file: Record<string, unknown>) =>
  bridge.check("r", { input: { file: { path: "a" } }, output: { file: { path: "b" } }, [side]: { file } }).problems;

it.each([
  ["input", { path: "in-${now:date}.txt" }, "path", "${now:date}"],
  ["output", { path: "${payload:id}.jsonl" }, "path", "${payload:id}"],
  ["output", { path: "a/${env:X}" }, "path", "${env:X}"],
  ["input", { path: "a", mode: "group_subscribe", group_id: "${message:id}" }, "group_id", "${message:id}"],
] as const)("a placeholder left over in a name is an error: %s %j", (side, file, field, token) => {
  expect(check(side, file)).toEqual([
    expect.objectContaining({
      level: "error",
      code: "MQB_FILE_TEMPLATE",
      path: [side, "file", field],
      message: expect.stringContaining(token),
    }),
  ]);
});

it.each([
  "$HOME",
  "a$b{c:d}",
  // What mq-bridge does with a variable that is not set; the configuration's loader warns of it.
  "${NOT_SET}.jsonl",
])("other dollar signs in a name are taken: %s", (path) => {
  expect(check("output", { path })).toEqual([]);
});
