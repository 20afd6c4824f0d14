import { describe, expect, it } from "vitest";
import { helpOf } from "../src/args/help.ts";
import { parseCommandLine } from "../src/args/parse.ts";
import { COMMANDS, PROGRAM } from "../src/commands.ts";

const parse = (...argv: string[]) => parseCommandLine(argv, PROGRAM, COMMANDS);

function usage(...argv: string[]): string {
  try {
    parse(...argv);
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint?: string };
    expect(code).toBe("MQB_CLI_USAGE");
    return `${message}; ${hint}`;
  }
  throw new Error("nothing was refused");
}

describe("a command line", () => {
  it("without a command is the program's own", () => {
    const { command, args } = parse("-c", "a.yml", "--no-ui", "--plugin", "./p.js", "--plugin=mqb-plugin-q");
    expect(command.name).toBe("");
    expect([args.text("config"), args.has("no-ui"), args.texts("plugin")]).toEqual([
      "a.yml",
      true,
      ["./p.js", "mqb-plugin-q"],
    ]);
  });

  it.each([
    [["-ca.yml"]],
    [["-c=a.yml"]],
    [["--config=a.yml"]],
    [["--config", "a.yml"]],
    [["run", "-c", "a.yml"]],
    [["-c", "a.yml", "run"]],
  ])("takes a value in every spelling: %j", (argv) => {
    expect(parse(...argv).args.text("config")).toBe("a.yml");
  });

  it("takes URIs that begin with -, and everything after --", () => {
    expect(parse("copy", "-?format=csv", "-|filter?a", "-v").args.positionals).toEqual(["-?format=csv", "-|filter?a"]);
    expect(parse("copy", "--", "--odd", "-x").args.positionals).toEqual(["--odd", "-x"]);
    expect(parse("copy", "--from", "-?format=csv", "--to", "-").args.text("from")).toBe("-?format=csv");
  });

  it("reads numbers within their range", () => {
    expect(parse("copy", "a", "b", "--batch-size", "7", "--wait", "0").args.integer("batch-size")).toBe(7);
    expect(parse("copy", "a", "b", "--wait", "0").args.integer("wait")).toBe(0);
  });

  it("knows help for the program and for a command, whatever else is missing", () => {
    expect(parse("--help")).toMatchObject({ help: true, command: { name: "" } });
    expect(parse("copy", "-h")).toMatchObject({ help: true, command: { name: "copy" } });
    expect(parse("-c", "x", "-V")).toMatchObject({ version: true });
  });
});

describe("wrong arguments are refused by name", () => {
  it.each([
    [["--bogus"], /"mqb" has no flag --bogus; known: .*--config/],
    [["copy", "--drian"], /"mqb copy" has no flag --drian; did you mean "--drain"\?/],
    [["copy", "--form=file:a", "--to", "b"], /no flag --form; did you mean "--from=file:a"\?/],
    [["copy", "--form", "file:a", "--to", "b"], /no flag --form; did you mean "--from file:a"\?/],
    [["copy", "--drian", "a", "b"], /did you mean "--drain"\?/],
    [["run", "mqb.yaml"], /unexpected argument "mqb.yaml"; a configuration is given with -c: mqb run -c mqb.yaml/],
    [["mqb.yaml"], /there is no command "mqb.yaml"; for a configuration: mqb run -c mqb.yaml/],
    [["cpoy", "a b", "c", "--drain"], /did you mean "copy"\? mqb copy 'a b' c --drain/],
    [["copy", "-x"], /no flag -x/],
    [["copy", "a", "b", "c"], /unexpected argument "c"/],
    [["cpoy"], /there is no command "cpoy"; did you mean "copy"\?/],
    [["--drain", "copy", "a", "b", "--drain"], /--drain is given twice/],
    [["--config", "x", "copy", "a", "b"], /"mqb copy" does not take --config/],
    [["copy", "--to"], /--to needs a value: --to <TARGET>/],
    [["copy", "--drain=yes"], /--drain takes no value/],
    [["--color", "sometimes"], /--color is one of auto, always, never, not "sometimes"/],
    [["copy", "--batch-size", "-1"], /--batch-size takes a whole number from 1 to 100000000, not "-1"/],
    [["copy", "--batch-size", "1.5"], /not "1.5"/],
    [["copy", "--concurrency", "0"], /from 1 to 1000000/],
    [["copy", "--limit", "0"], /of at least 1/],
    [["copy", "--wait", "soon"], /--wait takes a whole number/],
    [["copy", "--resume", "--no-resume"], /--resume cannot be used together with --no-resume/],
    [["copy", "--limit", "3", "--resume"], /--limit cannot be used together with --resume/],
    [["--ui"], /--ui is not available yet/],
    [["mcp"], /"mqb mcp" is not available yet/],
  ])("%j", (argv, message) => {
    expect(usage(...argv)).toMatch(message);
  });
});

describe("help", () => {
  it("is made from the declarations: every flag that works, with value and default, and none that is refused", () => {
    for (const command of [PROGRAM, ...COMMANDS.filter((one) => one.refused === undefined)]) {
      const text = helpOf(command, command === PROGRAM ? COMMANDS : []);
      for (const flag of command.flags) {
        const shown = new RegExp(
          `--${flag.name}\\b(?!-)${flag.value === undefined ? "" : ` [<[]${flag.value.replaceAll("|", "\\|")}[>\\]]`}`,
        );
        if (flag.refused === undefined) expect(text).toMatch(shown);
        else expect(text).not.toMatch(shown);
        if (flag.refused === undefined && flag.default !== undefined)
          expect(text.replace(/\s+/g, " ")).toContain(flag.default);
      }
      expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
    }
  });

  it("lists the commands that there are", () => {
    const text = helpOf(PROGRAM, COMMANDS);
    expect(text).toMatch(/^ {2}copy +Copy messages/m);
    expect(text).not.toContain("mcp");
  });
});
