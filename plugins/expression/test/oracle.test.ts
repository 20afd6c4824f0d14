import { compileExpression, compileUnary } from "@mqb/expression";
import { parseJson } from "@mqb/json";
import { expect, test } from "vitest";
import { type Answer, askEngine, isSame, type Question } from "./oracle/ask.ts";
import { CONTEXT, generate } from "./oracle/generate.ts";
import { TABLE, UNARY } from "./oracle/table.ts";

const TABLE_CONTEXT = {
  ...{ a: 5, b: 2.5, s: "abc", t: "def", n: null, bo: true, d: "2024-03-15T10:20:30Z" },
  ...{ o: { k: "v", z: 1 }, arr: [1, 2, 3], sa: ["x", "y"], nest: { x: { y: [{ z: 1 }, { z: 2 }] } } },
};

test("every rule of the table is that of the original's engine", async () => {
  const questions = TABLE.map((source) => ({ source, context: TABLE_CONTEXT }));
  expect(differences(questions, await askEngine(questions))).toEqual([]);
});

test("6,000 random expressions give what the original's engine gives, errors included", async () => {
  const questions = generate(6000, 1).map((source) => ({ source, context: CONTEXT }));
  const answers = await askEngine(questions);
  expect(differences(questions, answers)).toEqual([]);
  const errors = answers.filter((answer) => "error" in answer).length;
  expect(errors).toBeGreaterThan(300);
  expect(errors).toBeLessThan(2000);
}, 60_000);

test("unary tests hold for the same values", async () => {
  const values = [5, 1, 7, 101, "a", "abc", null, true];
  const questions = UNARY.flatMap((source) => values.map(($) => ({ source, context: { $ }, unary: true })));
  expect(differences(questions, await askEngine(questions))).toEqual([]);
});

// Kept, and said in docs/compatibility.md: this fails when one of them is there no more.
test.each([
  ["string(3 / 2)", "1.5", "1.50"],
  ["`${(1 + 2.5) / 2}`", "1.75", "1.750"],
  ["string(avg([1, 2]))", "1.5", "1.50"],
  ["string(median([1, 2.5]))", "1.75", "1.750"],
])("a quotient as a text has no zeros that nobody wrote: %s", async (source, ours, theirs) => {
  expect(evaluate(source, {})).toEqual({ value: ours });
  expect(await askEngine([{ source, context: {} }])).toEqual([{ value: theirs }]);
});

function differences(questions: readonly Question[], answers: readonly Answer[]): object[] {
  return questions.flatMap(({ source, context, unary }, index) => {
    const answer = answers[index]!;
    const ours = evaluate(source, context, unary);
    const same =
      "value" in answer ? "value" in ours && isSame(ours.value, answer.value) : "error" in ours && "error" in answer;
    return same ? [] : [{ source, ours, answer }];
  });
}

function evaluate(source: string, context: unknown, unary = false): { value: unknown } | { error: string } {
  try {
    const expression = unary ? compileUnary(source) : compileExpression(source);
    return { value: JSON.parse(expression.evaluate(parseJson(Buffer.from(JSON.stringify(context))))) };
  } catch (error) {
    // Anything but a coded error is a fault of ours, and thrown.
    if ((error as { code?: string }).code?.startsWith("MQB_EXPRESSION_")) return { error: (error as Error).message };
    throw error;
  }
}
