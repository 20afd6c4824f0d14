import { createRegistry } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { describe, expect, it } from "vitest";
import { configurationSchema } from "../src/index.ts";
import { openEditor } from "./editor.ts";
import { FAULTY, VALID } from "./schema-documents.ts";

const editor = openEditor(configurationSchema(createRegistry([standard, file])));

describe("an editor with the schema", () => {
  it.each(Object.keys(VALID))("finds no fault in %s", async (name) => {
    expect(await editor.faults(VALID[name]!)).toEqual([]);
  });

  it.each(FAULTY)("finds %s", async (_, text, line, message) => {
    const faults = await editor.faults(text);
    expect(faults).toContainEqual({ line, message: expect.stringMatching(message) });
  });

  it("completes what may stand there", async () => {
    expect(await editor.completions("routes:\n  r:\n    input:\n      ", 4)).toEqual(
      expect.arrayContaining(["custom", "file", "memory", "middlewares", "ref", "static"]),
    );
    expect(await editor.completions("routes:\n  r:\n    input:\n      ", 4)).not.toContain("null");
    expect(
      await editor.completions("routes:\n  r:\n    input:\n      file:\n        path: a\n        format: ", 6),
    ).toEqual(expect.arrayContaining(["csv", "raw"]));
  });

  it("explains a field", async () => {
    expect(await editor.hover("routes:\n  r:\n    concurrency: 4\n", 3, 6)).toMatch(/published at the same time/);
    expect(await editor.hover("routes:\n  r:\n    input:\n      file: { path: a }\n", 4, 7)).toMatch(
      /Records in a file/,
    );
  });
});
