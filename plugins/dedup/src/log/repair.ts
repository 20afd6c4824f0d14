import { constants } from "node:fs";
import { copyFile, link, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { errors } from "../errors.ts";
import { fileName, listFiles, syncFolder, writeAll } from "./folder.ts";
import { HEADER_SIZE, headerOf } from "./frame.ts";
import { readFileOf } from "./log.ts";
import { lockFolder, refuseForeign } from "./open.ts";
import { type Range, type Scan, scan } from "./scan.ts";

/** What was done to one file of keys. */
export interface Repaired {
  readonly file: string;
  /** Where the file is now, as it was. */
  readonly kept: string;
  /** Bytes that could not be read, and bytes that the repaired file has; 0 = there is none any more. */
  readonly lost: number;
  readonly bytes: number;
}

/**
 * Writes the whole frames of every file that is damaged, or ends in a write that did not finish, to a new one in its
 * place, and keeps the old one beside it. Throws a `config` error while another process has the folder.
 */
export async function repairFolder(folder: string, lockWaitMs?: number): Promise<readonly Repaired[]> {
  const numbers = (await listFiles(folder)) ?? [];
  if (numbers.length === 0) return [];
  const held = await lockFolder(folder, lockWaitMs);
  try {
    const scans: { readonly number: number; readonly found: Scan }[] = [];
    let seed: Buffer | undefined;
    for (const number of numbers) {
      const found = scan(await readFileOf(folder, number));
      refuseForeign(found, seed, join(folder, fileName(number)), folder);
      seed ??= found.header?.seed;
      scans.push({ number, found });
    }
    const repaired: Repaired[] = [];
    for (const { number, found } of scans) {
      if (found.header && found.damaged.length === 0 && !found.unfinished) continue;
      repaired.push(await repairFile(folder, number, found, seed));
    }
    return repaired;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code?.startsWith("E")
      ? errors.IO({ path: folder, action: "repaired" }, { cause: error })
      : error;
  } finally {
    await held.release();
  }
}

async function repairFile(folder: string, number: number, found: Scan, seed: Buffer | undefined): Promise<Repaired> {
  const file = join(folder, fileName(number));
  const kept = await unusedName(`${file}.damaged`);
  const whole = sizeOf(found.frames);
  // Without the seed, which every file holds, nobody can tell what the hashes are of.
  const usable = seed !== undefined && whole > 0;
  const bytes = usable ? HEADER_SIZE + whole : 0;
  if (!usable) await rename(file, kept);
  else {
    await write(`${file}.tmp`, headerOf(seed), await readFileOf(folder, number), found.frames);
    // The old one keeps its name until the new one takes it.
    await link(file, kept).catch(() => copyFile(file, kept, constants.COPYFILE_EXCL));
    await rename(`${file}.tmp`, file);
  }
  await syncFolder(folder);
  const lost = usable ? sizeOf(found.damaged) + (found.unfinished ? sizeOf([found.unfinished]) : 0) : found.size;
  return { file, kept, lost, bytes };
}

async function write(path: string, header: Buffer, bytes: Buffer, frames: readonly Range[]): Promise<void> {
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  try {
    await writeAll(file, [header, ...frames.map(({ from, to }) => bytes.subarray(from, to))], 0);
    await file.sync();
  } finally {
    await file.close();
  }
}

function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { from, to }) => sum + to - from, 0);
}

async function unusedName(path: string): Promise<string> {
  for (let n = 0; ; n++) {
    const name = n === 0 ? path : `${path}-${n}`;
    const taken = await stat(name).then(
      () => true,
      () => false,
    );
    if (!taken) return name;
  }
}
