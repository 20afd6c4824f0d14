// `npm test`: makes the clone ready, starts the real servers, runs every test, and ends with the line
// `N passed, N failed, N skipped`. `--unit` leaves out the servers and the tests that need them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bootstrap, tryRun } from "./bootstrap.mjs";
import { root } from "./workspace.mjs";

const services = join(root, "scripts", "services");

/** @type {string[]} the servers that the integration tests talk to */
const required = JSON.parse(readFileSync(join(root, "scripts", "required-services.json"), "utf8"));

const { values: options } = parseArgs({ options: { unit: { type: "boolean", default: false } } });
const total = { passed: 0, failed: 0, skipped: 0 };
try {
  main();
} catch (error) {
  fail(/** @type {Error} */ (error).message);
}
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed === 0 ? 0 : 1;

function main() {
  const env = bootstrap({ build: false });
  heading("build");
  if (tryRun("tsc", ["-b"], env) !== 0) fail("the types");
  if (tryRun(process.execPath, ["apps/cli/scripts/bundle.mjs"], env) !== 0) fail("the bundle of the command");
  heading("unit tests");
  runVitest("unit", env);
  if (options.unit) return;
  heading("servers");
  const { found, started } = startServers(env);
  try {
    heading("integration tests");
    runVitest("integration", { ...env, ...found });
  } finally {
    if (started.length > 0) tryRun(services, ["down", ...started], env);
  }
}

/**
 * @param {"unit" | "integration"} project
 * @param {NodeJS.ProcessEnv} env
 */
function runVitest(project, env) {
  const folder = mkdtempSync(join(tmpdir(), "mqb-test-"));
  const file = join(folder, "summary");
  const status = tryRun("vitest", ["run", "--project", project], { ...env, MQB_TEST_SUMMARY: file });
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  rmSync(folder, { recursive: true });
  let failed = 0;
  for (const line of lines) {
    const count = JSON.parse(line);
    total.passed += count.passed;
    total.failed += count.failed;
    total.skipped += count.skipped;
    failed += count.failed;
    for (const failure of count.failures) process.stdout.write(`FAILED: ${failure}\n`);
  }
  if (status !== 0 && failed === 0) fail(`vitest (${project}) ended with ${status}`);
}

/**
 * Where the servers cannot be had the tests that need them are skipped, each with its reason; where they can, a server
 * that does not start is a failure.
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ found: Record<string, string>, started: string[] }} what tells the tests where the servers are, and those
 *   that were not up before
 */
function startServers(env) {
  const isDown = (/** @type {string} */ name) => spawnSync(services, ["status", name], { env }).status !== 0;
  const down = required.filter(isDown);
  const up = required.filter((name) => !down.includes(name));
  if (down.length > 0 && !isDebianRoot()) {
    process.stdout.write(`SKIPPED: ${down.join(", ")}: not running, and installed only as root on Debian.\n`);
    process.stdout.write("The tests that need them are skipped.\n");
    return { found: locate(up, env), started: [] };
  }
  if (down.length > 0 && tryRun(services, ["install", ...down], env) === 0) tryRun(services, ["up", ...down], env);
  const started = down.filter((name) => !isDown(name));
  for (const name of down) if (!started.includes(name)) fail(`the server ${name}`);
  const usable = [...up, ...started];
  return { found: { ...locate(usable, env), MQB_TEST_REQUIRE: usable.join(",") }, started };
}

/**
 * The variables of `scripts/services env`, which are lines for a shell.
 * @param {string[]} names
 * @param {NodeJS.ProcessEnv} env
 */
function locate(names, env) {
  /** @type {Record<string, string>} */
  const found = {};
  if (names.length === 0) return found;
  const { stdout } = spawnSync(services, ["env", ...names], { env, encoding: "utf8" });
  for (const [, name = "", value = ""] of stdout.matchAll(/^export (\w+)='(.*)'$/gm)) {
    found[name] = value.replaceAll("'\\''", "'");
  }
  return found;
}

function isDebianRoot() {
  return process.getuid?.() === 0 && existsSync("/etc/debian_version");
}

/** @param {string} text */
function heading(text) {
  process.stdout.write(`\n== ${text}\n`);
}

/** @param {string} what */
function fail(what) {
  total.failed += 1;
  process.stdout.write(`FAILED: ${what}\n`);
}
