import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";

// invoke-rc.d asks this program before it starts a daemon; 101 means "not allowed".
const POLICY = "/usr/sbin/policy-rc.d";
const OUR_POLICY = "#!/bin/sh\n# made by scripts/services while it installs packages\nexit 101\n";

/**
 * Installs those of the Debian packages that are missing, without starting what they bring. Does nothing, and needs no
 * root, when all are there.
 * @param {readonly string[]} packages
 * @param {(line: string) => void} say
 */
export function installPackages(packages, say) {
  const missing = [...new Set(packages)].filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  const list = missing.join(" ");
  if (!isDebian()) throw new Error(`only Debian is known here; install by hand what it calls ${list}`);
  if (process.getuid?.() !== 0) throw new Error(`installing ${list} needs root`);
  const restore = forbidDaemons();
  try {
    let fresh = false;
    if (missing.some((name) => !isKnown(name))) {
      update(say);
      fresh = true;
    }
    say(`installing ${list}`);
    let failure = tryInstall(missing);
    if (failure !== undefined && !fresh) {
      // Package lists of last month name files that the mirrors no longer have.
      update(say);
      failure = tryInstall(missing);
    }
    if (failure !== undefined) throw new Error(`apt-get could not install ${list}:\n${failure}`);
  } finally {
    restore();
  }
}

/** @param {string} name */
function isInstalled(name) {
  const asked = spawnSync("dpkg-query", ["-W", "-f", "${db:Status-Status}", name], { encoding: "utf8" });
  return asked.status === 0 && asked.stdout === "installed";
}

function isDebian() {
  if (!existsSync("/etc/os-release")) return false;
  return /^ID(_LIKE)?=.*\bdebian\b/m.test(readFileSync("/etc/os-release", "utf8"));
}

/** @param {string} name */
function isKnown(name) {
  const policy = execFileSync("apt-cache", ["policy", name], { encoding: "utf8", env: environment() });
  return /Candidate: (?!\(none\))/.test(policy);
}

/** @param {(line: string) => void} say */
function update(say) {
  say("apt-get update");
  const failure = run(["update", "-qq"]);
  if (failure !== undefined) throw new Error(`apt-get update failed:\n${failure}`);
}

/** @param {readonly string[]} packages */
function tryInstall(packages) {
  return run(["install", "-y", "-qq", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold", ...packages]);
}

/**
 * @param {readonly string[]} args
 * @returns {string | undefined} undefined when all went well, otherwise the end of what apt-get said
 */
function run(args) {
  const done = spawnSync("apt-get", ["-o", "DPkg::Lock::Timeout=300", ...args], {
    encoding: "utf8",
    env: environment(),
    maxBuffer: 64 << 20,
  });
  if (done.status === 0) return undefined;
  return `${done.error?.message ?? ""}${done.stdout}${done.stderr}`.trim().split("\n").slice(-20).join("\n");
}

function environment() {
  return { ...process.env, DEBIAN_FRONTEND: "noninteractive", UCF_FORCE_CONFFOLD: "1", LC_ALL: "C" };
}

/** @returns {() => void} puts back what was there */
function forbidDaemons() {
  // A policy that somebody wrote is theirs. One of ours is left over from a call that was killed.
  if (existsSync(POLICY) && readFileSync(POLICY, "utf8") !== OUR_POLICY) return () => {};
  writeFileSync(POLICY, OUR_POLICY, { mode: 0o755 });
  return () => rmSync(POLICY, { force: true });
}
