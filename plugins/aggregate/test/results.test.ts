import { Message } from "@mqb/core/plugin";
import { slabOf, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { batchFrom, byK, folded, never, opened, results } from "./folding.ts";

const n = { fields: { n: "count" } };

describe("what a message carries", () => {
  it.each([
    ['{"k":1}', '{"k":1,"a":{"n":1}}'],
    ['{ "k" : 1.0 , "l" : [ 1 ] }', '{ "k" : 1.0 , "l" : [ 1 ] ,"a":{"n":1}}'],
    [' {"k":1} \t', ' {"k":1,"a":{"n":1}}'],
    ['{"k":1,"a":"old","z":2}', '{"k":1,"z":2,"a":{"n":1}}'],
    ['{"a":1,"k":1,"a":2}', '{"k":1,"a":{"n":1}}'],
    ['{"k":1,"a":{"old":[{}]}}', '{"k":1,"a":{"n":1}}'],
    ['{"k":1,"\\u0061":1}', '{"k":1,"a":{"n":1}}'],
    ['{"k":1,"x":"}"}', '{"k":1,"x":"}","a":{"n":1}}'],
    ['{"k":{}}', '{"k":{},"a":{"n":1}}'],
  ])("of %s every other byte of the document stays", async (payload, wanted) => {
    expect(await folded({ ...byK, ...n }, [payload])).toEqual([wanted]);
  });

  it("is put into nested objects, which are made when they are missing", async () => {
    const config = { ...byK, ...n, into: "f.g.a", entries: [{ key: "${payload:k}", into: "f.b", expression: "[k]" }] };
    expect(
      await folded(config, [
        '{"k":1}',
        '{"k":1,"f":{"x":2},"z":1}',
        '{"k":1,"f":{"g":{"a":0,"y":3}}}',
        '{"k":1,"f":7}',
        '{"k":1,"f":{"g":[]}}',
      ]),
    ).toEqual([
      '{"k":1,"f":{"g":{"a":{"n":1}},"b":[1]}}',
      '{"k":1,"z":1,"f":{"x":2,"g":{"a":{"n":2}},"b":[1]}}',
      '{"k":1,"f":{"g":{"a":{"n":3},"y":3},"b":[1]}}',
      expect.stringContaining('the field f is no object that "f.g.a" could be written into'),
      expect.stringContaining('the field f.g is no object that "f.g.a" could be written into'),
    ]);
  });

  it("may be written into the result of another entry", async () => {
    const entries = [{ key: "${payload:k}", into: "a.x", expression: "k" }];
    expect(await folded({ ...byK, ...n, entries }, ['{"k":1}'])).toEqual(['{"k":1,"a":{"n":1,"x":1}}']);
  });

  it("is the only member of an object that had none", async () => {
    const { publisher, sink } = await opened({ ...byK, ...n, key: "${metadata:m}" });
    await publisher.send(batchFrom(["{}", "{ }"], { m: "x" }), never);
    expect(texts(sink.messages)).toEqual(['{"a":{"n":1}}', '{ "a":{"n":2}}']);
  });

  it("has the fields sorted by name, and no name can do harm", async () => {
    const fields = { Z: "count", a: "count", é: "count", "a.b": "count", ["__proto__"]: "count", '"': "count" };
    expect(await results({ ...byK, fields }, ['{"k":1}'])).toEqual([
      '{"\\"":1,"Z":1,"__proto__":1,"a":1,"a.b":1,"é":1}',
    ]);
  });

  it("is what the output makes of the state; an expression sees metadata, and the state hides a field", async () => {
    const expression = "{ s: (state.s ?? 0) + v, m: meta.m }";
    expect(
      await results({ ...byK, expression, output: "state.s / 2" }, ['{"k":1,"v":3,"state":9}', '{"k":1,"v":4}']),
    ).toEqual(["1.5", "3.5"]);
    expect(await results({ ...byK, expression: "state" }, ['{"k":1,"state":9}'])).toEqual(["null"]);
  });

  it("with `previous` is the state from before, null for a new key, and the output is skipped then", async () => {
    const config = { ...byK, emit: "previous" as const, expression: "(state ?? 0) + v", output: "{ before: state }" };
    expect(await results(config, ['{"k":1,"v":3}', '{"k":1,"v":4}', '{"k":2,"v":4}'])).toEqual([
      "null",
      '{"before":3}',
      "null",
    ]);
  });

  it("is a number of any of the forms that sources write", async () => {
    const rows = ["5", '"5"', '" 5 "', '"+5"', '"1e1"', "5.0"].map((v) => `{"k":1,"v":${v}}`);
    expect(await results({ ...byK, fields: { s: "sum(v)" } }, rows)).toEqual(
      [5, 10, 15, 20, 30, 35].map((sum) => `{"s":${sum}.0}`),
    );
  });

  it("keeps ids, metadata and lines of a batch that lies in one buffer", async () => {
    const { publisher, sink } = await opened({ ...byK, ...n });
    const given = [1, 2, 1].map((k) => new Message(`{"k":${k}}`, new Map([["m", String(k)]])));
    await publisher.send(slabOf(given), never);
    const [sent] = sink.sends;
    expect(sent!.slab!.bytes.toString()).toBe('{"k":1,"a":{"n":1}}\n{"k":2,"a":{"n":1}}\n{"k":1,"a":{"n":2}}\n');
    expect(sink.messages.map(({ id }) => id)).toEqual(given.map(({ id }) => id));
    expect(sink.messages.map(({ metadata }) => metadata.get("m"))).toEqual(["1", "2", "1"]);
  });

  it("comes to 52.6 after a hundred readings of 50 behind one of 500, as the documents say", async () => {
    const config = { ...byK, fields: { e: "ema(v, 0.01)" } };
    const rows = [500, ...Array<number>(100).fill(50)].map((v) => `{"k":1,"v":${v}}`);
    const expression = "{ s: (state.s ?? 0) * 0.99 + v, w: (state.w ?? 0) * 0.99 + 1 }";
    const [built, computed] = await Promise.all([
      results(config, rows),
      results({ ...byK, expression, output: "state.s / state.w" }, rows),
    ]);
    expect(Number(/[\d.]+/.exec(built.at(-1)!)![0])).toBeCloseTo(52.6, 1);
    expect(Number(computed.at(-1))).toBeCloseTo(52.6, 1);
  });
});
