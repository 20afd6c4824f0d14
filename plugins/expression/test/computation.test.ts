import { batchOf, Message } from "@mqb/core/plugin";
import { describe, expect, test } from "vitest";
import expression from "../src/index.ts";
import { bothForms } from "./messages.ts";

const { computation } = expression.expressions!;
const batch = batchOf([new Message('{"v":1,"state":9,"meta":7}', new Map([["m", "x"]])), new Message('{"v":0.1}')]);

/** The value for the first message, as messages show it. */
function shown(source: string, state: unknown = null): string {
  const compiled = computation(source, ["state"]);
  return compiled.write(compiled.compute(batch, 0, [state]));
}

describe("a computation with values beside the message", () => {
  test("reads fields, metadata and the values by their names, which hide fields", () => {
    expect(shown("{ v: v, s: state, m: meta.m }", 5)).toBe('{"m":"x","s":5,"v":1}');
    expect(shown("state.total ?? 0")).toBe("0");
    expect(shown("$root.state")).toBe("9");
  });

  test("goes on with its own values, message by message", () => {
    const compiled = computation("{ total: (state.total ?? 0) + v }", ["state"]);
    const first = compiled.compute(batch, 0, [null]);
    expect(compiled.write(compiled.compute(batch, 1, [first]))).toBe('{"total":1.1}');
    expect(compiled.write(first)).toBe('{"total":1}');
  });

  test("writes every digit of a value that is computed with again, and reads it back", () => {
    const compiled = computation("state + 0.1", ["state"]);
    const state = compiled.read(Buffer.from("9007199254740993"));
    const sum = compiled.compute(batch, 0, [state]);
    expect(compiled.write(sum)).toBe("9007199254740994.0");
    expect(compiled.write(sum, true)).toBe("9007199254740993.1");
    const again = compiled.compute(batch, 0, [compiled.read(Buffer.from(compiled.write(sum, true)))]);
    expect(compiled.write(again, true)).toBe("9007199254740993.2");
  });

  test("gives the same for lines in a slab", () => {
    const compiled = computation("v + state", ["state"]);
    const two = compiled.read(Buffer.from("2"));
    for (const form of bothForms(['{"v":1}', '{"v":0.1}'])) {
      const sums = [0, 1].map((index) => compiled.write(compiled.compute(form, index, [two])));
      expect(sums).toEqual(["3", "2.1"]);
    }
  });

  test("takes several names", () => {
    const compiled = computation("a + b", ["a", "b"]);
    const [one, two] = ["1", "2"].map((text) => compiled.read(Buffer.from(text)));
    expect(compiled.write(compiled.compute(batch, 0, [one, two]))).toBe("3");
  });

  test("throws permanent errors for what cannot be computed, and config errors for what cannot be compiled", () => {
    const compiled = computation("state + v", ["state"]);
    expect(() => compiled.compute(batch, 0, [compiled.read(Buffer.from('"x"'))])).toThrow(
      expect.objectContaining({ kind: "permanent" }),
    );
    expect(() => computation("state +", ["state"])).toThrow(expect.objectContaining({ kind: "config" }));
    expect(() => compiled.read(Buffer.from("{"))).toThrow(/not JSON/);
  });
});
