import { createBridge, createRegistry } from "@mqb/core";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";

const bridge = createBridge({ registry: createRegistry([standard]) });
const problems = (route: object) =>
  bridge.check("r", route).problems.map(({ level, message, path }) => ({ level, message, path }));

it.each([
  ["ipc://../q", /ipc:\/\/\.\.\/q.*"\.\."/],
  ["unix://run/q.sock", /unix:\/\/run\/q\.sock.*absolute/],
  ["http://h/q", /cannot begin with http:\/\/, as "http:\/\/h\/q" does; use memory:\/\//],
  ["memory://", /names no topic/],
  ["", /empty/],
])("refuses the address %j by name", (address, message) => {
  for (const field of ["topic", "url"]) {
    expect(problems({ input: { memory: { [field]: address } } })).toEqual([
      { level: "error", message: expect.stringMatching(message), path: ["input", "memory", field] },
    ]);
  }
});

it.each([
  [{ capacity: 5 }, "topic"],
  [{ topic: "a", url: "b" }, "url"],
  [{ topic: "a", capacity: 0 }, "capacity"],
  [{ topic: "a", capacity: -1 }, "capacity"],
  [{ topic: "a", capacity: 1.5 }, "capacity"],
  [{ topic: "a", capacity: "10" }, "capacity"],
  [{ topic: "a", request_timeout_ms: 0 }, "request_timeout_ms"],
  [{ topic: "a", request_timeout_ms: 2 ** 31 }, "request_timeout_ms"],
  [{ topic: "a", enable_nack: "yes" }, "enable_nack"],
  [{ topic: "a", capasity: 5 }, "capasity"],
  [{ topic: 5 }, "topic"],
])("refuses %j and names the field %s", (memory, field) => {
  const found = problems({ input: { memory } });
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ level: "error", path: ["input", "memory", field] });
  expect(found[0]!.message).toContain(field);
});

it("reads null as the default", () => {
  const memory = {
    topic: "a",
    url: null,
    capacity: null,
    request_reply: null,
    request_timeout_ms: null,
    enable_nack: null,
  };
  expect(problems({ input: { memory }, output: { memory: { topic: "b" } } })).toEqual([]);
});

it("warns about an option of the other side", () => {
  const route = {
    input: { memory: { topic: "a", request_reply: true } },
    output: { memory: { topic: "b", enable_nack: true } },
  };
  expect(problems(route)).toEqual([
    {
      level: "warning",
      message: expect.stringMatching(/"request_reply".*input/),
      path: ["input", "memory", "request_reply"],
    },
    {
      level: "warning",
      message: expect.stringMatching(/"enable_nack".*output/),
      path: ["output", "memory", "enable_nack"],
    },
  ]);
});

it("refuses what does not work between processes, and says which address it is", () => {
  const url = "ipc:///run/q.sock";
  const subscribe = { memory: { url, subscribe_mode: true } };
  for (const [route, path] of [
    [{ input: subscribe }, ["input", "memory", "subscribe_mode"]],
    [{ input: { static: "x" }, output: subscribe }, ["output", "memory", "subscribe_mode"]],
    [
      { input: { static: "x" }, output: { memory: { url, request_reply: true } } },
      ["output", "memory", "request_reply"],
    ],
  ] as const) {
    const message = expect.stringMatching(new RegExp(`"${path[2]}".*${url}`));
    expect(problems(route)).toEqual([{ level: "error", message, path }]);
  }
});

it("tells what does nothing between processes", () => {
  const url = "ipc:///run/q.sock";
  const output = { memory: { url, capacity: 5, enable_nack: true } };
  expect(problems({ input: { memory: { url, capacity: 5 } }, output })).toEqual([
    { level: "warning", message: expect.stringContaining('"enable_nack"'), path: ["output", "memory", "enable_nack"] },
    { level: "note", message: expect.stringContaining('"capacity"'), path: ["output", "memory", "capacity"] },
  ]);
});

it("takes messages back between processes unless it is told not to, but not after a crash", () => {
  const input = (settings: object) =>
    bridge.check("r", { input: { memory: { url: "ipc:///run/q.sock", ...settings } } }).plan?.input.input;
  expect(input({})).toMatchObject({ acknowledges: false, takesBack: true, replies: false });
  expect(input({ enable_nack: null })).toMatchObject({ acknowledges: false, takesBack: true });
  expect(input({ enable_nack: false })).toMatchObject({ acknowledges: false, takesBack: false });
});

it("declares that it gives messages back only with enable_nack", () => {
  const guarantee = (input: object) =>
    bridge.check("r", { input: { memory: { topic: "a", ...input } } }).plan?.guarantee.level;
  expect(guarantee({})).toBe("at_most_once");
  expect(guarantee({ enable_nack: true })).toBe("at_least_once");
  expect(guarantee({ enable_nack: true, subscribe_mode: true })).toBe("at_most_once");
});
