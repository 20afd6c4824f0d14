import { createBridge, createRegistry } from "@mqb/core";
import standard from "@mqb/standard";
import { CollectingPublisher, fakePlugin } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";

const silent = { silent: { publisher: new CollectingPublisher(), output: { replies: false } } };
const bridge = createBridge({ registry: createRegistry([standard, plugin, fakePlugin(silent)]) });
const from = { static: "x" };

function problemsOf(lookup: unknown): string[] {
  const input = { memory: { topic: "a" }, middlewares: [{ lookup }] };
  return bridge
    .check("r", { input })
    .problems.map(({ level, path, code }) => `${level} ${path.slice(3).join(".")} ${code}`);
}

describe("the check of a lookup", () => {
  it.each([
    [{}, "error lookup MQB_LOOKUP_NO_FROM"],
    [{ into: "x" }, "error lookup MQB_LOOKUP_NO_FROM"],
    [{ from: null, into: "x" }, "error lookup MQB_LOOKUP_NO_FROM"],
    [{ from }, "error lookup.into MQB_LOOKUP_NO_INTO"],
    [{ from, into: "" }, "error lookup.into MQB_LOOKUP_EMPTY_INTO"],
    [{ entries: [{ from, into: "" }] }, "error lookup.entries.0.into MQB_LOOKUP_EMPTY_INTO"],
    [{ from, into: "a..b" }, "error lookup.into MQB_LOOKUP_INTO"],
    [{ from, into: "a[0]" }, "error lookup.into MQB_LOOKUP_INTO"],
    [{ from, into: "$", entries: [{ from, into: "x" }] }, "error lookup.into MQB_LOOKUP_ROOT_BESIDE_OTHERS"],
    [
      {
        entries: [
          { from, into: "x" },
          { from, into: "$" },
        ],
      },
      "error lookup.entries.1.into MQB_LOOKUP_ROOT_BESIDE_OTHERS",
    ],
    [
      {
        entries: [
          { from, into: "a" },
          { from, into: "a.b" },
        ],
      },
      "error lookup.entries.1.into MQB_LOOKUP_INTO_TWICE",
    ],
    [{ from, into: "a.b", entries: [{ from, into: "$.a.b" }] }, "error lookup.entries.0.into MQB_LOOKUP_INTO_TWICE"],
    [{ entries: [{ from, into: "a" }], into: "b" }, "error lookup.into MQB_LOOKUP_WITHOUT_FROM"],
    [{ entries: [{ from, into: "a" }], cache: { key: "k" } }, "error lookup.cache MQB_LOOKUP_WITHOUT_FROM"],
    [{ from, into: "a", metadata: { p: "/${payload:id" } }, "error lookup.metadata.p MQB_STANDARD_TEMPLATE"],
    [{ from, into: "a", payload: "${gen:no}" }, "error lookup.payload MQB_STANDARD_TEMPLATE"],
    [
      { from, into: "a", cache: { key: ["x", "${env:LOOKUP_IS_NOT_SET}"] } },
      "error lookup.cache.key MQB_STANDARD_TEMPLATE",
    ],
    [{ from, into: "a", cache: { key: "${gen:uuid}" } }, "error lookup.cache.key MQB_LOOKUP_KEY"],
    [{ from: { silent: {} }, into: "a" }, "warning lookup.from MQB_LOOKUP_NEVER_REPLIES"],
    [{ entries: [{ from: { silent: {} }, into: "a" }] }, "warning lookup.entries.0.from MQB_LOOKUP_NEVER_REPLIES"],
  ])("of %j", (lookup, expected) => expect(problemsOf(lookup)).toEqual([expected]));

  it.each([
    [{ from, into: "a", concurrency: 0 }, "lookup.concurrency"],
    [{ from, into: "a", cache: {} }, "lookup.cache.key"],
    [{ from, into: "a", cache: { key: [] } }, "lookup.cache.key"],
    [{ from, into: "a", on_missing: "ignore" }, "lookup.on_missing"],
    [{ entries: [{ into: "a" }] }, "lookup.entries.0.from"],
    [{ entries: [{ from }] }, "lookup.entries.0.into"],
    [{ from: { nothing: {} }, into: "a" }, "lookup.from.nothing"],
  ])("of %j names the place %s", (lookup, place) => {
    expect(problemsOf(lookup)).toEqual([expect.stringMatching(`^error ${place} `)]);
  });

  it.each([
    [{ from, into: "a" }],
    [{ from, into: "$" }],
    [
      {
        from,
        into: "a",
        entries: [
          { from, into: "b" },
          { from, into: "a2.b" },
        ],
      },
    ],
    [{ entries: [{ from, into: "$" }] }],
    [{ from, into: "a", metadata: { p: "$${payload:id} ${other:x}" } }],
    [{ from, into: "a", cache: null, on_error: null, on_missing: null, timeout_ms: null, concurrency: null }],
    [{ from: { static: "x", middlewares: [{ delay: { delay_ms: 1 } }] }, into: "a" }],
  ])("takes %j", (lookup) => expect(problemsOf(lookup)).toEqual([]));
});
