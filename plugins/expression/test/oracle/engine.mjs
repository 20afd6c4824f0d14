// Evaluates expressions with the engine of the original, one JSON line in, one out: { value } or { error }. It aborts the
// process for some inputs, so it runs in one of its own.
import { createInterface } from "node:readline";
import { evaluateExpressionSync, evaluateUnaryExpressionSync } from "@gorules/zen-engine";

for await (const line of createInterface({ input: process.stdin })) {
  const { source, context, unary } = JSON.parse(line);
  let answer;
  try {
    const value = unary ? evaluateUnaryExpressionSync(source, context) : evaluateExpressionSync(source, context);
    answer = { value: value ?? null };
  } catch (error) {
    answer = { error: String(error?.message ?? error).split("\n")[0] };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
