import { existsSync, readFileSync, writeFileSync } from "node:fs";
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
): Promise<{ code: number; asked: string[]; shown: string }> {
  const asked: string[] = [];
  let shown = "";
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      shown += String(chunk);
      done();
    },
  });
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
  return { code, asked, shown };
}

const FROM = expect.stringContaining("come from");
const TO = expect.stringContaining("do they go");
const NAME = expect.stringContaining("[main]");

it("asks on a terminal for what no flag has given", async () => {
  const { code, asked } = await answered(["--to", "null:"], [" file:in.jsonl ", "orders"]);
  expect(code).toBe(0);
  expect(asked).toEqual([FROM, NAME]);
  expect(readFileSync(join(scratch.path, "config.yml"), "utf8")).toContain('"orders":');
});

it("takes the default for an empty answer, and asks nothing when both ends are given", async () => {
  expect((await answered([], ["file:in.jsonl", "null:", ""])).code).toBe(0);
  expect(readFileSync(join(scratch.path, "config.yml"), "utf8")).toContain('"main":');
  expect(await answered(["--from", "file:a", "--to", "null:", "--force"], [])).toMatchObject({ code: 0, asked: [] });
});

it.each([
  ["is no URI", "", /is empty/],
  ["has an unknown scheme", "fiel:in.jsonl", /unknown scheme "fiel:".*did you mean "file:"/s],
  ["has an unknown parameter", "file:in.jsonl?fromat=csv", /"fromat".*did you mean "format"/s],
  ["has a value that does not fit", "file:in.jsonl?format=xml", /format/],
  ["cannot be an input", "fanout:?to=null:", /can only be an output/],
])("says at once what is wrong with an answer that %s, and asks again", async (_, wrong, message) => {
  const { code, asked, shown } = await answered([], [wrong, "file:in.jsonl", "null:", ""]);
  expect(shown).toMatch(message);
  expect([code, asked]).toEqual([0, [FROM, FROM, TO, NAME]]);
});

it("checks an output together with the input that was given before", async () => {
  const parts = "file:parts?name_by=source_position";
  const { code, asked, shown } = await answered(["--name", "r"], ["static:?body=x", parts, "null:"]);
  expect(shown).toMatch(/needs an input with a replayable position/);
  expect([code, asked]).toEqual([0, [FROM, TO, TO]]);
});

it("refuses a flag before it asks for anything", async () => {
  expect(await answered(["--from", "fiel:a"], ["null:", ""])).toMatchObject({ code: 1, asked: [] });
});

it("asks nothing for a file that it will not write", async () => {
  writeFileSync(join(scratch.path, "config.yml"), "mine");
  expect(await answered([], ["file:in.jsonl", "null:", ""])).toMatchObject({ code: 1, asked: [] });
});

it("writes nothing when every answer is wrong", async () => {
  expect(await answered([], ["", "null:", "x", "file:in.jsonl"])).toMatchObject({ code: 1, asked: [FROM, FROM, FROM] });
  expect(existsSync(join(scratch.path, "config.yml"))).toBe(false);
});
