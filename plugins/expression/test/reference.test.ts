import { parseJson } from "@mqb/json";
import { expect, it } from "vitest";
import { compileExpression } from "../src/evaluate.ts";
import { describedLanguage } from "../src/reference.ts";

const { functions, loops, methods } = describedLanguage();

it.each([...functions, ...loops, ...methods])(
  "the example of $name gives what is written: $example",
  ({ name, example, result }) => {
    expect(example).toMatch(new RegExp(`\\b${name}\\(`));
    expect(compileExpression(example).evaluate(parseJson(Buffer.from("{}")))).toBe(result);
  },
);

it("describes each function once, with the inputs that the compiler counts", () => {
  expect(functions.find(({ name }) => name === "round")!.inputs).toEqual([1, 2]);
  expect(loops.map(({ inputs }) => inputs.join())).toEqual(loops.map(() => "2,2"));
  expect(methods.length).toBeGreaterThan(25);
});
