import type { BigIntStats } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Logger } from "@mqb/core/plugin";
import { close, open, statIfThere } from "../fs-calls.ts";
import { compareIdentity, type FileIdentity, keepsBirth } from "./identity.ts";

const MAX_SIBLINGS = 10_000;

/** The file that had the path when the position was stored, by now under another name beside it. */
export async function findRenamed(path: string, identity: FileIdentity): Promise<number | undefined> {
  for (const { name, stats } of await siblings(path, () => true)) {
    if (String(stats.ino) !== identity.ino) continue;
    const fd = await open(name, "r").catch(() => undefined);
    if (fd === undefined) continue;
    if ((await compareIdentity(identity, fd)) === "same") return fd;
    await close(fd);
  }
  return undefined;
}

/**
 * Warns of files that have had the path between two others and were never seen under it: rotated twice while nobody
 * looked. Recognised by a name as rotations give it (`path.1`, `path-2026…`) and the time of birth.
 */
export async function warnOfSkipped(path: string, before: BigIntStats, after: BigIntStats, log: Logger): Promise<void> {
  if (!keepsBirth(before)) return;
  const own = basename(path);
  const rotated = await siblings(path, (name) => name.startsWith(own) && /^[.-]\d/.test(name.slice(own.length)));
  for (const { name, stats } of rotated) {
    if (sameInode(stats, before) || sameInode(stats, after) || stats.size === 0n) continue;
    if (stats.birthtimeNs < before.birthtimeNs || stats.birthtimeNs > after.birthtimeNs) continue;
    log.warn(
      `${path} was replaced more than once while nobody looked: ${name} is NOT read; read it with a route of its own (mode: consume)`,
    );
  }
}

export function sameInode(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

async function siblings(
  path: string,
  wanted: (name: string) => boolean,
): Promise<{ readonly name: string; readonly stats: BigIntStats }[]> {
  const directory = dirname(path);
  const own = basename(path);
  const found: { readonly name: string; readonly stats: BigIntStats }[] = [];
  for (const entry of (await readdir(directory).catch(() => [])).slice(0, MAX_SIBLINGS)) {
    if (entry === own || !wanted(entry)) continue;
    const name = join(directory, entry);
    const stats = await statIfThere(name).catch(() => undefined);
    if (stats?.isFile()) found.push({ name, stats });
  }
  return found;
}
