import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
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
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw new Error(`${folder} is not a folder`);
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid()) throw new Error(`${folder} belongs to another user`);
  if ((found.mode & 0o077) !== 0) throw new Error(`${folder} can be read or written by others`);
}

/** The records of all processes that live; removes those of processes that are gone. */
export function listInstances(folder: string, now: number): InstanceRecord[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  const found: InstanceRecord[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const record = name.endsWith(".json") ? readInstance(path, now) : undefined;
    if (record) found.push(record);
    else if (/^\..*\.tmp$/.test(name) && isOld(path, now)) remove(path);
  }
  return found.sort((a, b) => (a.instance_id < b.instance_id ? -1 : 1));
}

function readInstance(path: string, now: number): InstanceRecord | undefined {
  try {
    const { size } = lstatSync(path);
    const record = size > MAX_RECORD_BYTES ? undefined : readRecord(readFileSync(path, "utf8"));
    // A version that this program does not know may well be that of a running one.
    if (record === "other version") return undefined;
    if (record && isFresh(record, now)) return record;
  } catch {
    return undefined;
  }
  remove(path);
  return undefined;
}

function isOld(path: string, now: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && now - stats.mtimeMs > EXPIRES_MS;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody else was faster, or will do it.
  }
}
