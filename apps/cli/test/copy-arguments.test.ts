import { describe, expect, it } from "vitest";
import { parseCommandLine } from "../src/args/parse.ts";
import { COMMANDS, PROGRAM } from "../src/commands.ts";
import { copyEnds } from "../src/copy/ends.ts";

const ends = (...argv: string[]) => copyEnds(parseCommandLine(["copy", ...argv], PROGRAM, COMMANDS).args);

describe("source and target of a copy", () => {
  it("are two arguments or two flags, which mean the same", () => {
    expect(ends("file:a", "-")).toEqual({ source: "file:a", target: "-" });
    expect(ends("--to", "-", "--from", "file:a")).toEqual(ends("file:a", "-"));
  });

  it("are refused with a message of its own for each way to get them wrong", () => {
    const messages = [[], ["--from", "a"], ["--to", "a"], ["a"], ["a", "--to", "b"]].map((argv) => {
      try {
        ends(...argv);
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(messages).toEqual([
      "a copy needs a source and a target",
      expect.stringContaining("--to is missing"),
      expect.stringContaining("--from is missing"),
      expect.stringContaining("the target is missing"),
      expect.stringContaining("not a mixture"),
    ]);
  });
});
