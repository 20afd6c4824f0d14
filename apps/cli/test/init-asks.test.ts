import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { main } from "../src/main.ts";
import { scratchFolder } from "./support/cli.ts";

let scratch: ReturnType<typeof scratchFolder>;
beforeEach(() => {
  scratch = scratchFolder();
});
afterEach(() => scratch.remove());

async function answered(
  argv: readonly string[],
  answers: readonly string[],
): Promise<{ code: number; asked: string[] }> {
  const asked: string[] = [];
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const code = await main({
    argv: ["init", ...argv],
    environment: {},
    cwd: scratch.path,
    stop: new AbortController().signal,
    stdout: () => sink,
    stderr: () => sink,
    terminal: true,
    ask: async (question) => {
      asked.push(question);
      return answers[asked.length - 1]!;
    },
  });
  return { code, asked };
}

it("asks on a terminal for what no flag has given", async () => {
  const { code, asked } = await answered(["--to", "null:"], [" file:in.jsonl ", "orders"]);
  expect(code).toBe(0);
  expect(asked).toEqual([expect.stringContaining("come from"), expect.stringContaining("[main]")]);
  expect(readFileSync(join(scratch.path, "config.yml"), "utf8")).toContain('"orders":');
});

it("takes the default for an empty answer, and asks nothing when both ends are given", async () => {
  expect((await answered([], ["file:in.jsonl", "null:", ""])).code).toBe(0);
  expect(readFileSync(join(scratch.path, "config.yml"), "utf8")).toContain('"main":');
  expect(await answered(["--from", "file:a", "--to", "null:", "--force"], [])).toEqual({ code: 0, asked: [] });
});

it("writes nothing when an answer is no URI", async () => {
  expect((await answered([], ["", "null:", ""])).code).toBe(1);
  expect(existsSync(join(scratch.path, "config.yml"))).toBe(false);
});
