import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { routeLines } from "./linted.ts";

describe("a route that writes the file it reads", () => {
  it.each([
    ["the same text", "input: {file: {path: a.jsonl}}, output: {file: {path: a.jsonl}}", "output.file.path"],
    ["another spelling", "input: {file: {path: ./x/../a.jsonl}}, output: {file: {path: a.jsonl}}", "output.file.path"],
    [
      "a leg of a fanout",
      "input: {file: {path: a}}, output: {fanout: [{file: {path: b}}, {file: {path: a}}]}",
      "output.fanout[1].file.path",
    ],
    [
      "its dead letters",
      "input: {file: {path: a}}, output: {memory: {topic: t}, middlewares: [{dlq: {endpoint: {file: {path: a}}}}]}",
      "output.middlewares[0].dlq.endpoint.file.path",
    ],
  ])("is refused: %s", (_, sides, place) => {
    expect(routeLines(sides)).toEqual([
      expect.stringMatching(
        /^error MQB_LINT_SAME_FILE .*which this route also reads, so the route would never finish; write to another file$/,
      ),
    ]);
    expect(routeLines(sides)[0]).toContain(` r.${place}: `);
  });

  describe("under another name", () => {
    const folder = mkdtempSync(join(tmpdir(), "mqb-same-file-"));
    afterAll(() => rmSync(folder, { recursive: true }));
    const at = (name: string) => join(folder, name);
    writeFileSync(at("a"), "1\n");
    writeFileSync(at("b"), "1\n");
    symlinkSync("a", at("symlink"));
    linkSync(at("a"), at("hardlink"));
    mkdirSync(at("folder"));
    symlinkSync("folder", at("linked"));
    writeFileSync(at("folder/a"), "1\n");

    it.each([
      ["a", "symlink"],
      ["symlink", "hardlink"],
      ["hardlink", "a"],
      ["folder/a", "linked/a"],
    ])("is refused: from %s to %s", (from, to) => {
      const sides = `input: {file: {path: ${at(from)}}}, output: {file: {path: ${at(to)}}}`;
      expect(routeLines(sides)).toEqual([expect.stringContaining("MQB_LINT_SAME_FILE")]);
    });

    it.each([
      ["a", "b"],
      ["a", "folder/a"],
      ["symlink", "absent"],
    ])("is none: from %s to %s", (from, to) => {
      expect(routeLines(`input: {file: {path: ${at(from)}}}, output: {file: {path: ${at(to)}}}`)).toEqual([]);
    });
  });

  it.each([
    "input: {file: {path: a}}, output: {file: {path: b}}",
    'input: {file: {path: "-"}}, output: {file: {path: "-"}}',
    "input: {memory: {topic: a}}, output: {fanout: [{file: {path: a}}, {file: {path: a}}]}",
  ])("is none: %s", (sides) => {
    expect(routeLines(sides)).toEqual([]);
  });
});
