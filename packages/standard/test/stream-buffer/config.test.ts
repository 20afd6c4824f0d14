import { createBridge, createRegistry } from "@mqb/core";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";

const bridge = createBridge({ registry: createRegistry([standard]) });
const check = (route: { input?: object; output?: object }) =>
  bridge.check("r", { input: { memory: { topic: "x" } }, ...route } as never).problems;

it("needs a correlation id on an input", () => {
  expect(check({ input: { stream_buffer: { topic: "t" } } })).toEqual([
    expect.objectContaining({ level: "error", path: ["input", "stream_buffer", "correlation_id"] }),
  ]);
  expect(check({ input: { stream_buffer: { topic: "t", correlation_id: "a" } } })).toEqual([]);
});

it("ignores one on an output, and says so", () => {
  expect(check({ output: { stream_buffer: { topic: "t", correlation_id: "a" } } })).toEqual([
    expect.objectContaining({ level: "warning", path: ["output", "stream_buffer", "correlation_id"] }),
  ]);
  expect(check({ output: { stream_buffer: { topic: "t", idle_ttl_secs: 0, capacity: null } } })).toEqual([]);
});

it.each([
  [{}, "topic"],
  [{ topic: "" }, "topic"],
  [{ topic: "t", capacity: 0 }, "capacity"],
  [{ topic: "t", idle_ttl_secs: -1 }, "idle_ttl_secs"],
  [{ topic: "t", ttl: 1 }, "ttl"],
])("refuses %j and names %s", (config, name) => {
  const problems = check({ output: { stream_buffer: config } });
  expect(problems).toContainEqual(expect.objectContaining({ level: "error", path: ["output", "stream_buffer", name] }));
});
