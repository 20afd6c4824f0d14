import { describe, expect, it } from "vitest";
import { parseCommandLine } from "../src/args/parse.ts";
import { COMMANDS, PROGRAM } from "../src/commands.ts";

const read = (flag: string, value: string) =>
  parseCommandLine(["copy", "a", "b", `--${flag}=${value}`], PROGRAM, COMMANDS).args.integer(flag);

describe.each(["batch-size", "concurrency", "limit", "wait"])("--%s", (flag) => {
  it.each(["-1", "1.5", "1e9", "ten", "NaN", "Infinity", "null", "99999999999999999999"])(
    "refuses %s by name",
    (value) => {
      expect(() => read(flag, value)).toThrow(
        expect.objectContaining({
          code: "MQB_CLI_USAGE",
          message: expect.stringMatching(new RegExp(`^--${flag} takes a whole number .*${value.replace(".", "\\.")}`)),
        }),
      );
    },
  );

  // Only a wait of 0 seconds has a meaning.
  it(flag === "wait" ? "takes 0" : "refuses 0", () => {
    if (flag === "wait") expect(read(flag, "0")).toBe(0);
    else expect(() => read(flag, "0")).toThrow(expect.objectContaining({ code: "MQB_CLI_USAGE" }));
  });
});
