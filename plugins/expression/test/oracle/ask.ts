import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Question {
  readonly source: string;
  readonly context: unknown;
  readonly unary?: boolean;
}

/** `crash`: the engine ended the process. */
export type Answer = { readonly value: unknown } | { readonly error: string } | { readonly crash: true };

/** Asks the engine of the original. After a crash it is started again with the next question. */
export async function askEngine(questions: readonly Question[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < questions.length) {
    const before = answers.length;
    answers.push(...(await run(questions.slice(before))));
    if (answers.length < questions.length) answers.push({ crash: true });
  }
  return answers;
}

async function run(questions: readonly Question[]): Promise<Answer[]> {
  const engine = spawn(process.execPath, [fileURLToPath(new URL("engine.mjs", import.meta.url))], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  engine.stdin.on("error", () => {});
  engine.stdin.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(""));
  const answers: Answer[] = [];
  for await (const line of createInterface({ input: engine.stdout })) answers.push(JSON.parse(line) as Answer);
  return answers;
}

/** Equal, with numbers of doubles taken as equal when they differ in the last digit only. */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number") return a === b || Math.abs(a - b) <= Math.abs(a) * 1e-15;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key as never], b[key as never]))
  );
}
