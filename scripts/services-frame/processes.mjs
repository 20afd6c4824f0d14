// Processes are known by pid, start time and boot: a pid that the system has given to somebody else since is never ours.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** @typedef {{ role: string, pid: number, start: string, boot: string }} Process */
/** @typedef {{ processes: Process[], ports: Record<string, number> }} RunRecord */

/**
 * The running process with this pid, or undefined. A zombie does not run: it only waits to be reaped.
 * @param {number} pid
 * @param {string} role
 * @returns {Process | undefined}
 */
export function identify(pid, role = "main") {
  const stat = readStat(pid);
  if (stat === undefined || stat.state === "Z" || stat.state === "X") return undefined;
  return { role, pid, start: stat.start, boot: bootId() };
}

/** @param {Process} known */
export function isAlive(known) {
  const now = identify(known.pid);
  return now !== undefined && now.start === known.start && now.boot === known.boot;
}

/** @param {Process} known */
export function isStopped(known) {
  return isAlive(known) && readStat(known.pid)?.state === "T";
}

/**
 * Sends the signal if that very process still runs; says whether it did.
 * @param {Process} known
 * @param {NodeJS.Signals} signal
 */
export function signal(known, signal) {
  if (!isAlive(known)) return false;
  try {
    return process.kill(known.pid, signal);
  } catch (cause) {
    if (/** @type {NodeJS.ErrnoException} */ (cause).code === "ESRCH") return false;
    throw cause;
  }
}

/**
 * The process and all that it has started, parents before their children.
 * @param {Process} known
 * @returns {Process[]}
 */
export function family(known) {
  if (!isAlive(known)) return [];
  /** @type {Map<number, number[]>} */
  const childrenOf = new Map();
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    const stat = Number.isInteger(pid) ? readStat(pid) : undefined;
    if (stat !== undefined) childrenOf.set(stat.parent, [...(childrenOf.get(stat.parent) ?? []), pid]);
  }
  const members = [known];
  for (let i = 0; i < members.length; i += 1) {
    for (const pid of childrenOf.get(/** @type {Process} */ (members[i]).pid) ?? []) {
      const child = identify(pid, known.role);
      if (child !== undefined) members.push(child);
    }
  }
  return members;
}

/**
 * Resolves with true when none of them runs any more, with false when the time is over.
 * @param {readonly Process[]} processes
 * @param {number} milliseconds
 */
export async function gone(processes, milliseconds) {
  const deadline = Date.now() + milliseconds;
  while (processes.some(isAlive)) {
    if (Date.now() >= deadline) return false;
    await pause(10);
  }
  return true;
}

/**
 * @param {string} file
 * @returns {RunRecord | undefined} undefined: never started, or stopped by us
 */
export function readRecord(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if (/** @type {NodeJS.ErrnoException} */ (cause).code === "ENOENT") return undefined;
    throw cause;
  }
  return JSON.parse(text);
}

/**
 * Whoever reads the file meanwhile sees the old record or the new one, never half of one.
 * @param {string} file
 * @param {RunRecord} record
 */
export function writeRecord(file, record) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, JSON.stringify(record));
  renameSync(`${file}.new`, file);
}

/** @param {string} file */
export function removeRecord(file) {
  rmSync(file, { force: true });
}

/** @param {number} pid */
function readStat(pid) {
  let text;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The second field is the command in brackets, which may itself hold spaces and brackets.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", parent: Number(fields[1]), start: fields[19] ?? "" };
}

function bootId() {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}
