import { mkdirSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { installCommand, withInstallCommands } from "../src/plugins/install-command.ts";
import { scratchFolder } from "./support/cli.ts";

const scratch = scratchFolder();
/** Above it, a machine may have lock files of anything. */
const ROOT = parse(scratch.path).root;
afterAll(() => scratch.remove());

function project(name: string, file: string): string {
  const folder = join(scratch.path, name);
  mkdirSync(join(folder, "deep", "er"), { recursive: true });
  writeFileSync(join(folder, file), "");
  return join(folder, "deep", "er");
}

describe("the install command", () => {
  it.each([
    ["package-lock.json", "npm i @mqb/kafka"],
    ["pnpm-lock.yaml", "pnpm add @mqb/kafka"],
    ["yarn.lock", "yarn add @mqb/kafka"],
    ["bun.lock", "bun add @mqb/kafka"],
    ["bun.lockb", "bun add @mqb/kafka"],
  ])("follows a %s further up, whoever started the process", (file, command) => {
    expect(installCommand("@mqb/kafka", { npm_config_user_agent: "cargo/1" }, project(file, file))).toBe(command);
  });

  it.each([
    ["pnpm/10.34.9 npm/? node/v20", "pnpm add @mqb/kafka"],
    ["yarn/4.1.0 npm/?", "yarn add @mqb/kafka"],
    ["bun/1.2.0", "bun add @mqb/kafka"],
    ["npm/10.8.2 node/v20", "npm i @mqb/kafka"],
    [undefined, "npm i @mqb/kafka"],
  ])("without a lock file is that of the package manager that runs: %s", (agent, command) => {
    const environment = agent === undefined ? {} : { npm_config_user_agent: agent };
    expect(installCommand("@mqb/kafka", environment, ROOT)).toBe(command);
  });
});

describe("a message", () => {
  const shown = (text: string): string => withInstallCommands(text, {}, ROOT);

  it("says the command after each package to install", () => {
    expect(shown("unknown; install @mqb/kafka")).toBe("unknown; install @mqb/kafka: `npm i @mqb/kafka`");
    expect(shown("install lz4-napi, or use another codec")).toBe(
      "install lz4-napi: `npm i lz4-napi`, or use another codec",
    );
  });

  it("says one command where several packages would do", () => {
    expect(shown("install @mqb/postgres or @mqb/mysql")).toBe(
      "install @mqb/postgres or @mqb/mysql, e.g. `npm i @mqb/postgres`",
    );
  });

  it("is left alone where no package is named", () => {
    const text = "install a version of it that fits this mqb, or update mqb; install it well-known";
    expect(shown(text)).toBe(text);
  });
});
