import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { COMMANDS } from "../src/commands.ts";
import { buildCli } from "./support/cli.ts";
import { folderPerTest } from "./support/folder.ts";

beforeAll(buildCli);
const folder = folderPerTest();

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function shell(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd: folder.path }, (error, stdout, stderr) =>
      error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout),
    );
  });
}

beforeEach(async () => {
  for (const name of ["bash", "zsh", "fish"])
    folder.write(`mqb.${name}`, (await folder.mqb(["completion", name])).stdout);
  folder.write("mqb.yaml", "");
  folder.write("my file.yaml", "");
});

/** What bash offers for a line that is cut into words as bash does it; the last one is being written. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `source "$1"; shift; COMP_WORDS=(mqb "$@"); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _mqb; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = await shell("bash", ["-c", script, "bash", join(folder.path, "mqb.bash"), ...words]);
  return out.split("\n").filter((line) => line !== "");
}

describe("bash completes", () => {
  it("every command that works, and none that is refused", async () => {
    const names = COMMANDS.filter((one) => one.refused === undefined).map((one) => one.name.split(" ")[0]!);
    expect((await offered("")).sort()).toEqual([...new Set(names)].sort());
    expect(await offered("co")).toContain("copy");
    expect(await offered("mc")).toEqual([]);
  });

  it("the flags of the command that stands on the line", async () => {
    expect((await offered("copy", "--dr")).sort()).toEqual(["--drain"]);
    expect(await offered("run", "--fil")).toEqual([]);
    expect(await offered("--no-")).toEqual(expect.arrayContaining(["--no-ui"]));
    expect(await offered("--color", "never", "check", "--str")).toEqual(["--strict"]);
  });

  it("the second word of a command, and its flags", async () => {
    expect((await offered("plugins", "")).sort()).toEqual(["info", "list"]);
    expect(await offered("plugins", "info", "file", "--js")).toEqual(["--json"]);
  });

  it("the choices of a flag and of an argument, also after =", async () => {
    expect(await offered("run", "--color", "a")).toEqual(["auto", "always"]);
    expect(await offered("run", "--color", "=", "ne")).toEqual(["never"]);
    expect(await offered("run", "--color", "=")).toEqual(["auto", "always", "never"]);
    expect(await offered("completion", "z")).toEqual(["zsh"]);
  });

  it("files where a file is due, with spaces in their names", async () => {
    expect((await offered("run", "-c", "m")).sort()).toEqual(expect.arrayContaining(["mqb.yaml", "my file.yaml"]));
    expect(await offered("copy", "--limit", "")).toEqual([]);
  });
});

it.runIf(isInstalled("zsh"))("zsh takes the script, and registers it", async () => {
  const script = `autoload -U compinit; compinit -u -d ./dump; source ./mqb.zsh; print -r -- $_comps[mqb]`;
  expect((await shell("zsh", ["-f", "-c", script])).trim()).toBe("_mqb");
});

it.runIf(isInstalled("fish"))("fish completes commands, flags and choices", async () => {
  const complete = async (line: string): Promise<string[]> => {
    const out = await shell("fish", ["--no-config", "-c", `source ./mqb.fish; complete -C '${line}'`]);
    return out
      .split("\n")
      .map((one) => one.split("\t")[0]!)
      .filter((one) => one !== "");
  };
  expect(await complete("mqb ch")).toEqual(["check", "checkpoint"]);
  expect(await complete("mqb copy --dr")).toEqual(["--drain"]);
  expect(await complete("mqb plugins ")).toEqual(expect.arrayContaining(["info", "list"]));
  expect(await complete("mqb run --color n")).toEqual(["never"]);
});
