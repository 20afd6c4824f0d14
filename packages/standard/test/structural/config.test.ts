import { createBridge, createRegistry } from "@mqb/core";
import { CollectingPublisher, fakePlugin, ScriptedConsumer } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { fakeExpressions } from "../fake-expressions.ts";

const sink = { publisher: new CollectingPublisher() };
const fakes = fakePlugin({
  source: { consumer: new ScriptedConsumer() },
  sink,
  mute: { ...sink, output: { replies: false } },
  careless: { ...sink, output: { acknowledges: false, replies: false } },
  ordered: { ...sink, output: { orderedPublish: true, replies: false, defaultBatchSize: 7 } },
  once: { ...sink, output: { idempotent: true, replies: false, needsPositions: "name_by" } },
});
const bridge = createBridge({ registry: createRegistry([standard, fakes, fakeExpressions]) });
const checked = (output: object) => bridge.check("r", { input: { source: {} }, output: output as never });
const found = (output: object) =>
  checked(output).problems.map(({ level, path, message }) => `${level} ${path.slice(1).join(".")}: ${message}`);
const abilities = (output: object) => checked(output).plan?.output.output;

it("promises what all legs and cases promise, and asks for what one asks for", () => {
  const legs = [{ ordered: {} }, { once: {} }];
  const expected = {
    acknowledges: true,
    replies: false,
    orderedPublish: true,
    idempotent: false,
    needsPositions: "name_by",
    defaultBatchSize: 7,
  };
  const resolved = (output: object) => {
    const { problems } = checked(output);
    // The fake source has no positions.
    return problems.filter(({ code }) => !code.includes("POSITION"));
  };
  for (const output of [
    { fanout: legs },
    { switch: { metadata_key: "k", cases: { a: legs[0], b: legs[1] } } },
    { switch: { when: [{ if: "x", to: legs[0] }], default: legs[1] } },
  ]) {
    expect(resolved(output)).toEqual([]);
  }
  expect(abilities({ fanout: [{ ordered: {} }, { mute: {} }] })).toEqual({
    ...expected,
    needsPositions: undefined,
    idempotent: false,
  });
  expect(abilities({ fanout: [{ mute: {} }, { careless: {} }] })).toMatchObject({ acknowledges: false });
  expect(abilities({ fanout: [{ mute: {} }, { response: {} }] })).toMatchObject({ replies: true });
  expect(abilities({ switch: { metadata_key: "k", cases: { a: { careless: {} } } } })).toMatchObject({
    acknowledges: false,
  });
});

it("takes from `request` what `forward_to` promises, and order when one of both asks for it", () => {
  const ask = (to: object, next: unknown) => abilities({ request: { to, forward_to: next } });
  expect(ask({ sink: {} }, { mute: {} })).toMatchObject({ acknowledges: true, replies: false, orderedPublish: false });
  expect(ask({ sink: {} }, { careless: {} })).toMatchObject({ acknowledges: false });
  expect(ask({ careless: {} }, null)).toMatchObject({ acknowledges: true, replies: false });
  expect(ask({ sink: {} }, { response: {} })).toMatchObject({ replies: true });
  expect(ask({ ordered: {} }, {})).toMatchObject({ orderedPublish: true });
});

it.each([
  [{ fanout: { sink: {} } }, "fanout"],
  [{ fanout: [] }, "expected at least one endpoint"],
  [{ fanout: [{ sink: {} }, { snik: {} }] }, "fanout.1"],
  [{ fanout: [{ memory: {} }] }, "fanout.0.memory"],
  [{ switch: {} }, "a switch needs `metadata_key` with `cases`, or `when`"],
  [{ switch: { default: { sink: {} } } }, "a switch needs `metadata_key` with `cases`, or `when`"],
  [{ switch: { metadata_key: "k", cases: { x: { sink: {} } }, when: [{ if: "a", to: { sink: {} } }] } }, "not by both"],
  [{ switch: { metadata_key: "k" } }, 'switch.cases: "switch" needs the field "cases"'],
  [{ switch: { metadata_key: "k", cases: {} } }, "`metadata_key` needs at least one case"],
  [{ switch: { cases: { x: { sink: {} } } } }, 'switch.metadata_key: "switch" needs the field "metadata_key"'],
  [{ switch: { when: [] } }, "expected at least one entry"],
  [{ switch: { when: [{ to: { sink: {} } }] } }, "switch.when.0.if"],
  [{ switch: { when: [{ if: "a" }] } }, "switch.when.0.to"],
  [{ switch: { metadata_key: "k", cases: { x: { snik: {} } } } }, "switch.cases.x"],
  [{ request: { to: { sink: {} } } }, "request.forward_to"],
  [{ request: { forward_to: { sink: {} } } }, "request.to"],
  [
    { request: { to: { mute: {} }, forward_to: { sink: {} } } },
    'request.to: `request.to` is "mute", which never replies',
  ],
  [
    { request: { to: { memory: { topic: "t" } }, forward_to: { sink: {} } } },
    'request.to: `request.to` is "memory", which never replies as it is configured; it does with `request_reply: true`',
  ],
  [{ response: { status: 200 } }, "response.status"],
])("refuses %j and says where and why", (output, expected) => {
  const problems = found(output).filter((line) => line.startsWith("error"));
  expect(problems).toEqual([expect.stringContaining(expected)]);
});

it.each([
  [{ fanout: [null, { sink: {} }] }],
  [{ fanout: [{ fanout: [{ sink: {} }] }] }],
  [{ switch: { metadata_key: "k", cases: { x: null, "": { sink: {} }, "a.b[0]": { sink: {} } } } }],
  [{ switch: { metadata_key: "k", cases: { x: { sink: {} } }, when: null, default: null } }],
  [{ request: { to: { mute: {} }, forward_to: null } }],
  [{ request: { to: { mute: {} }, forward_to: {} } }],
  [{ request: { to: { mute: {} }, forward_to: { null: null } } }],
  [{ request: { to: { memory: { topic: "t", request_reply: true } }, forward_to: { sink: {} } } }],
])("accepts %j", (output) => {
  expect(found(output)).toEqual([]);
});

it.each(["fanout", "switch", "request", "response"])("is no input: %s", (name) => {
  const { problems } = bridge.check("r", { input: { [name]: {} } as never });
  expect(problems.some(({ message }) => message.includes(`"${name}" can only be an output`))).toBe(true);
});

it("says which package to install when nobody can compile the expressions of a switch", () => {
  const without = createBridge({ registry: createRegistry([standard]) });
  const output = { switch: { when: [{ if: "a > 1", to: null }] } };
  const { problems } = without.check("r", { input: { memory: { topic: "a" } }, output });
  expect(problems).toEqual([
    expect.objectContaining({
      level: "error",
      path: ["output", "switch", "when", 0, "if"],
      hint: "install @mqb/expression",
    }),
  ]);
});
