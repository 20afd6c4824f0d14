import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isGone } from "./gone.ts";
import { EXPIRES_MS, type InstanceRecord, isFresh, MAX_RECORD_BYTES, readRecord } from "./record.ts";

/** The folder of a user's records; undefined when the system offers no private place for it. */
export function instancesFolder(environment: NodeJS.ProcessEnv): string | undefined {
  const { LOCALAPPDATA, XDG_RUNTIME_DIR, TMPDIR } = environment;
  const base = process.platform === "win32" ? LOCALAPPDATA : XDG_RUNTIME_DIR || TMPDIR;
  return base ? join(base, "mq-bridge-app", "instances") : undefined;
}

/** Makes the folder, for its owner alone. Throws when somebody else's folder, or a link, stands in its place. */
export function claimFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  checkFolder(folder);
}

/** Throws when the folder, or the one around it, could be somebody else's doing. */
function checkFolder(folder: string): void {
  for (const one of [dirname(folder), folder]) {
    const found = lstatSync(one);
    if (!found.isDirectory()) throw new Error(`${one} is not a folder`);
    if (process.getuid === undefined) continue;
    if (found.uid !== process.getuid()) throw new Error(`${one} belongs to another user`);
    const others = one === folder ? 0o077 : 0o022;
    if ((found.mode & others) !== 0) throw new Error(`${one} can be read or written by others`);
  }
}

/**
 * The records of all processes that live. Records that have expired are removed, and nothing else is: whatever else lies
 * there is somebody's, and a process that is gone as seen from here may live in another container. Throws when the
 * folder is not the user's own.
 */
export function listInstances(folder: string, now: number, gone = isGone): InstanceRecord[] {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  checkFolder(folder);
  const found: InstanceRecord[] = [];
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name.endsWith(".json")) {
      const record = readInstance(path);
      if (!record) continue;
      if (!isFresh(record, now)) remove(path);
      else if (!gone(record)) found.push(record);
    } else if (TEMPORARY.test(name) && isOld(path, now)) remove(path);
  }
  return found.sort((a, b) => (a.instance_id < b.instance_id ? -1 : 1));
}

/** What a process that was killed between writing and renaming leaves: `.<id>.<id>.tmp`. */
const TEMPORARY = /^\.[0-9a-f-]{36}\.[0-9a-f-]{36}\.tmp$/;

/** A record of this version; undefined for anything else. Opens neither links nor pipes. */
function readInstance(path: string): InstanceRecord | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(fd);
    const record = stats.isFile() && stats.size <= MAX_RECORD_BYTES ? readRecord(readFileSync(fd, "utf8")) : undefined;
    return record === "other version" ? undefined : record;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function isOld(path: string, now: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && now - stats.mtimeMs > EXPIRES_MS;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody else was faster, or will do it.
  }
}
