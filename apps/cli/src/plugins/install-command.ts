import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

type Manager = "npm" | "pnpm" | "yarn" | "bun";

const LOCK_FILES: readonly (readonly [string, Manager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
];
const ADD: Readonly<Record<Manager, string>> = { npm: "npm i", pnpm: "pnpm add", yarn: "yarn add", bun: "bun add" };

/**
 * What to type to get a package: `npm i @mqb/kafka`, `pnpm add …`, `yarn add …` or `bun add …`, by the nearest lock file
 * from `folder` upwards, else by the package manager that started this process.
 */
export function installCommand(packageName: string, environment: NodeJS.ProcessEnv, folder = process.cwd()): string {
  return `${ADD[lockedManager(folder) ?? callingManager(environment)]} ${packageName}`;
}

/** A package to install: one with a scope, or one whose name no ordinary word could be. */
const INSTALL = /\binstall ((?:@[\w.-]+\/[\w.-]+|[a-z\d]+(?:-[a-z\d]+)+)(?: or @[\w.-]+\/[\w.-]+)*)/g;

/** A message in which each "install PACKAGE" is followed by the command that does it. */
export function withInstallCommands(text: string, environment: NodeJS.ProcessEnv, folder?: string): string {
  return text.replace(INSTALL, (written, packages: string) => {
    const [first = "", ...others] = packages.split(" or ");
    const command = installCommand(first, environment, folder);
    return others.length === 0 ? `${written}: \`${command}\`` : `${written}, e.g. \`${command}\``;
  });
}

function lockedManager(folder: string): Manager | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = LOCK_FILES.find(([file]) => existsSync(join(at, file)));
    if (found) return found[1];
    if (at === dirname(at)) return undefined;
  }
}

function callingManager(environment: NodeJS.ProcessEnv): Manager {
  const name = /^(\w+)\//.exec(environment["npm_config_user_agent"] ?? "")?.[1];
  return name === "pnpm" || name === "yarn" || name === "bun" ? name : "npm";
}
