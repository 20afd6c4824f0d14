import { describe, expect, it } from "vitest";
import { byK, contextWith, folded, results } from "./folding.ts";

const fields = { s: "sum(v)", l: "last(v)" };
const CANNOT = expect.stringContaining("aggregate cannot fold the message") as string;

describe("hostile messages", () => {
  it("reach no prototype, by their keys or by the path that is written to", async () => {
    const keys = ["__proto__", "constructor", "hasOwnProperty"].map((k) => `{"k":"${k}","v":1,"__proto__":{"v":9}}`);
    expect(await results({ ...byK, fields }, keys)).toEqual(Array<string>(3).fill('{"l":1.0,"s":1.0}'));
    const into = { ...byK, into: "__proto__.a", fields };
    expect(await folded(into, ['{"k":1,"v":1}'])).toEqual(['{"k":1,"v":1,"__proto__":{"a":{"l":1.0,"s":1.0}}}']);
    expect(({} as { a?: unknown }).a).toBeUndefined();
    const entries = [{ key: "${payload:constructor.name}", into: "b", expression: "(state ?? 0) + 1" }];
    expect(await folded({ consistency: "single_writer", entries }, ['{"k":1}'])).toEqual([CANNOT]);
  });

  it("of a mebibyte are refused in no time: digits, digits behind a point, blanks, a time that is none", async () => {
    const digits = "1".repeat(1_000_000);
    const values = [
      digits,
      `"${digits}x"`,
      `0.${digits}`,
      `"${" ".repeat(1_000_000)}x"`,
      `1e${digits}`,
      `"-${digits}"`,
    ];
    expect(
      await folded(
        { ...byK, fields },
        values.map((v) => `{"k":1,"v":${v}}`),
      ),
    ).toEqual(values.map(() => CANNOT));
    const times = [`"${digits}x"`, digits, `"${digits}.${digits}e"`, `"2023-11-14T22:13:20.${digits}Z"`];
    const timed = { ...byK, time: "t", fields: { n: "count" } };
    expect(
      await folded(
        timed,
        times.map((t) => `{"k":1,"t":${t}}`),
      ),
    ).toEqual(times.map(() => CANNOT));
    const keys = [digits, `"${digits}"`, `-${digits}.5`, `[${digits}]`];
    expect(
      await results(
        { ...byK, fields: { n: "count" } },
        keys.map((k) => `{"k":${k}}`),
      ),
    ).toEqual(['{"n":1}', '{"n":2}', '{"n":1}', '{"n":1}']);
  });

  it("that nest deep, break off or hold ill-formed UTF-8 are refused", async () => {
    const deep = `{"k":1,"v":1,"d":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const all = [deep, '{"k":1,"v":1', '{"k":1,"v":1}}', '{"k":1,"v":01}', '{"k":1,"v":1,}', ""];
    expect(await folded({ ...byK, fields }, all)).toEqual(all.map(() => CANNOT));
  });

  it("cannot make a stored state that is not read again", async () => {
    const context = contextWith();
    const shared = { ...byK, consistency: "shared" as const, store: "memory:" };
    const values = ["1e308", "1.7e308", "-1e-308", "9".repeat(300), `0.${"0".repeat(300)}1`, "1e-324", "5e-324"];
    const all = { ...fields, m: "mean(v)", e: "ema(v, 0.5)", h: "ema(v, 1s)", x: "max(v)" };
    for (const v of values) await folded({ ...shared, fields: all }, [`{"k":1,"v":${v}}`], context);
    const [last] = await results({ ...shared, fields }, ['{"k":2,"v":1}'], context);
    expect(last).toBe('{"l":1.0,"s":1.0}');
    // What cannot be stored was refused, and the state is that of the others.
    const [again] = await folded({ ...shared, fields: all }, ['{"k":1,"v":0}'], context);
    expect(again).toMatch(/^\{"k":1,"v":0,"a":\{"e":/);
  });

  it("cannot make a computed state that is not read again either", async () => {
    const context = contextWith();
    const shared = {
      ...byK,
      consistency: "shared" as const,
      store: "memory:",
      expression: "{ last: v, before: state.last }",
    };
    const nested = (depth: number) => `{"k":1,"v":${"[".repeat(depth)}"]["${"]".repeat(depth)}}`;
    const [good, bad, after] = [nested(400), nested(505), '{"k":1,"v":1}'];
    const [first] = await folded(shared, [good], context);
    expect(first).toContain('"before":null');
    expect(await folded(shared, [bad], context)).toEqual([CANNOT]);
    const [last] = await folded(shared, [after], context);
    expect(last).toContain('"before":[[[');
    const hidden = { ...shared, into: "b", output: "1" };
    expect(await folded(hidden, [bad, after], context)).toEqual([CANNOT, '{"k":1,"v":1,"b":1}']);
  });

  it("whose spread no number can hold change no state", async () => {
    const spread = { n: "count", d: "stddev(v)" };
    const rows = ["1e200", "-1e200", "1e200"].map((v) => `{"k":1,"v":${v}}`);
    expect(await results({ ...byK, fields: spread }, rows)).toEqual(['{"d":null,"n":1}', CANNOT, '{"d":0.0,"n":2}']);
  });

  it("cannot hold the process with an expression", async () => {
    const expression = "count([1..2000000], # > 0)";
    expect(await folded({ ...byK, expression }, ['{"k":1}'])).toEqual([CANNOT]);
  });
});
