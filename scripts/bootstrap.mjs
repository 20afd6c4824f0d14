// Makes a clone ready to work in, with nothing but Node and npm: the pinned pnpm, the dependencies, a build.
// Runs as a script, and everything else under scripts/ calls its functions. Doing it twice costs half a second.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { root, workspacePackages } from "./workspace.mjs";

const MINIMUM_NODE = [20, 19];

/**
 * Brings pnpm, the dependencies and, unless told otherwise, the build.
 * @param {{ build?: boolean }} [options]
 * @returns {NodeJS.ProcessEnv} the environment for child processes, with the pinned pnpm and the tools on the PATH
 */
export function bootstrap({ build = true } = {}) {
  checkNode();
  const env = toolEnvironment(bringPnpm());
  if (!isInstalled()) {
    run("pnpm", ["install", "--frozen-lockfile", "--prefer-offline", "--config.confirmModulesPurge=false"], env);
  }
  if (build) buildPackages(env);
  return env;
}

/**
 * Builds what can be run; whether the tests have the right types is not asked here.
 * @param {NodeJS.ProcessEnv} env
 */
export function buildPackages(env) {
  const folders = workspacePackages().map(({ folder }) => folder);
  run("tsc", ["-b", ...folders.filter((folder) => existsSync(join(root, folder, "src")))], env);
  run(process.execPath, [join(root, "apps/cli/scripts/bundle.mjs")], env);
}

/**
 * Runs a tool with the terminal of this process.
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [cwd] the root
 * @returns {void} or throws, naming the command
 */
export function run(command, args, env, cwd) {
  const status = tryRun(command, args, env, cwd);
  if (status !== 0) throw new Error(`${[command, ...args].join(" ")} failed (${status})`);
}

/**
 * Like `run`, but returns the exit code, or what went wrong instead.
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {string} [cwd] the root
 * @returns {number | string}
 */
export function tryRun(command, args, env, cwd = root) {
  const shell = process.platform === "win32";
  const { status, signal, error } = spawnSync(command, args, { cwd, env, stdio: "inherit", shell });
  return error?.message ?? signal ?? status ?? "no exit code";
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = MINIMUM_NODE;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  throw new Error(`this is Node ${process.versions.node}; mqb needs ${MINIMUM_NODE.join(".")} or newer`);
}

/** The pnpm that `packageManager` names, in the clone's own cache: another version would refuse to run. */
function bringPnpm() {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const version = /^pnpm@([^+]+)/.exec(packageManager)?.[1];
  if (!version) throw new Error(`package.json: packageManager is ${packageManager}, expected pnpm@VERSION`);
  const folder = join(root, ".cache", `pnpm-${version}`);
  const bin = join(folder, "node_modules", ".bin");
  if (!existsSync(join(bin, "pnpm"))) {
    mkdirSync(folder, { recursive: true });
    run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--prefix", folder, `pnpm@${version}`], process.env);
  }
  return bin;
}

/** @param {string} pnpmBin */
function toolEnvironment(pnpmBin) {
  const path = [pnpmBin, join(root, "node_modules", ".bin"), process.env["PATH"]].join(delimiter);
  return { ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: "1" };
}

/** pnpm leaves a copy of the lockfile that it has installed. */
function isInstalled() {
  const installed = join(root, "node_modules", ".pnpm", "lock.yaml");
  if (!existsSync(installed)) return false;
  if (!readFileSync(installed).equals(readFileSync(join(root, "pnpm-lock.yaml")))) return false;
  return workspacePackages().every(({ folder, manifest }) => {
    const needs = { ...manifest.dependencies, ...manifest.devDependencies };
    return Object.keys(needs).length === 0 || existsSync(join(root, folder, "node_modules"));
  });
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    bootstrap();
  } catch (error) {
    process.stderr.write(`bootstrap: ${/** @type {Error} */ (error).message}\n`);
    process.exitCode = 1;
  }
}
