import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger } from "@mqb/core/plugin";
import { FileLock } from "@mqb/standard";
import { errors } from "../errors.ts";
import { Table } from "../table/table.ts";
import { fileName, listFiles, makeFolder, removeLeftovers, syncFolder, writeAll } from "./folder.ts";
import { HEADER_SIZE, headerOf, KEY_SIZE, Kind, keysFrame, seal, VERSION } from "./frame.ts";
import { Log, readFileOf, type Segment, type StoredAnswer } from "./log.ts";
import { eachKey, type Scan, scan } from "./scan.ts";

export interface OpenedFolder {
  readonly table: Table<StoredAnswer>;
  readonly seed: Uint8Array;
  /** Undefined when it is only read. */
  readonly log: Log | undefined;
}

export interface FolderContext {
  readonly clock: Clock;
  readonly log: Logger;
  /** Change nothing, and do not care who else is at work. */
  readonly readOnly: boolean;
  /** How long to wait for another process that is about to end, in milliseconds [2000]. */
  readonly lockWaitMs?: number;
}

const LOCK_WAIT_MS = 2_000;
/** With so much of expired keys among the rest the rest is written anew. */
const COMPACT_FROM = 1024 * 1024;

/** Reads the keys in a folder, and keeps them for writing. What is damaged is left out, with a warning that names it. */
export async function openFolder(folder: string, context: FolderContext): Promise<OpenedFolder> {
  if (context.readOnly) {
    const loaded = await load(folder, context);
    return { table: loaded.table, seed: loaded.seed ?? randomBytes(16), log: undefined };
  }
  await listFiles(folder);
  await makeFolder(folder);
  const held = await lockFolder(folder, context.lockWaitMs);
  try {
    await removeLeftovers(folder);
    let loaded = await load(folder, context);
    if (loaded.expired * 2 > loaded.keys && loaded.keys * KEY_SIZE > COMPACT_FROM && loaded.sound) {
      await compact(folder, loaded, context.clock.now());
      loaded = await load(folder, context);
    }
    const seed = loaded.seed ?? randomBytes(16);
    const { segments, goesOn, table } = loaded;
    const log = new Log({ folder, seed, ...context, segments, goesOn, release: held.release });
    return { table, seed, log };
  } catch (error) {
    await held.release();
    throw error;
  }
}

/** Keeps other processes away from a folder. Throws a `config` error that says who has it. */
export async function lockFolder(folder: string, waitMs = LOCK_WAIT_MS): Promise<{ release(): Promise<void> }> {
  let held: Awaited<ReturnType<FileLock["acquire"]>>;
  try {
    held = await new FileLock(join(folder, "dedup")).acquire(waitMs);
  } catch (cause) {
    throw errors.IO({ path: folder, action: "stored" }, { cause });
  }
  if ("holder" in held) throw errors.LOCKED({ path: folder, holder: held.holder });
  return held;
}

interface Loaded {
  readonly table: Table<StoredAnswer>;
  readonly seed: Uint8Array | undefined;
  readonly segments: Segment[];
  /** Whether the last file ends with a whole frame. */
  readonly goesOn: boolean;
  /** Nothing is damaged. */
  readonly sound: boolean;
  readonly keys: number;
  readonly expired: number;
}

async function load(folder: string, { clock, log, readOnly }: FolderContext): Promise<Loaded> {
  const table = new Table<StoredAnswer>();
  const segments: Segment[] = [];
  const now = clock.now();
  let seed: Uint8Array | undefined;
  let clean: Segment | undefined;
  let sound = true;
  let keys = 0;
  let expired = 0;
  const numbers = (await listFiles(folder)) ?? [];
  for (const number of numbers) {
    const bytes = await readFileOf(folder, number);
    const found = scan(bytes);
    const file = join(folder, fileName(number));
    if (!found.header) {
      // A crash has come between making the file and writing into it.
      if (bytes.length < HEADER_SIZE && number === numbers.at(-1)) {
        if (!readOnly) await rm(file, { force: true });
        continue;
      }
      log.warn(`${file} cannot be read from its beginning on: its keys are not known; see mqb state repair ${folder}`);
      segments.push({ number, size: bytes.length, expiresAt: Number.POSITIVE_INFINITY });
      sound = false;
      continue;
    }
    refuseForeign(found, seed, file, folder);
    seed ??= found.header.seed;
    const segment: Segment = { number, size: bytes.length, expiresAt: 0 };
    eachKey(bytes, found.frames, (words, expiresAt, answer) => {
      segment.expiresAt = Math.max(segment.expiresAt, expiresAt);
      keys++;
      if (expiresAt <= now) {
        expired++;
        return;
      }
      const entry = table.load(words, expiresAt);
      if (answer) table.answers.set(entry, { segment: number, ...answer });
    });
    tell(found, file, folder, number === numbers.at(-1), log);
    if (found.damaged.length > 0) sound = false;
    if (!found.unfinished) clean = segment;
    if (segment.expiresAt <= now && number !== numbers.at(-1) && !readOnly) await rm(file, { force: true });
    else segments.push(segment);
  }
  return { table, seed, segments, goesOn: clean !== undefined && clean === segments.at(-1), sound, keys, expired };
}

export function refuseForeign({ header }: Scan, seed: Uint8Array | undefined, file: string, path: string): void {
  if (!header) return;
  if (header.version !== VERSION) throw errors.VERSION({ file, version: header.version });
  if (seed && !header.seed.equals(seed)) throw errors.SEEDS({ file, path });
}

function tell({ damaged, unfinished }: Scan, file: string, folder: string, isLast: boolean, log: Logger): void {
  for (const { from, to } of damaged) {
    log.warn(
      `${file} is damaged from byte ${from} to ${to}: the keys there are not known; see mqb state repair ${folder}`,
    );
  }
  if (!unfinished || !isLast) return;
  const length = unfinished.to - unfinished.from;
  log.warn(`${file} ends at byte ${unfinished.from} in a write of ${length} bytes that did not finish; it is left out`);
}

/** Writes what has not expired to a new file, and removes the others. After a crash both are there, which is no harm. */
async function compact(folder: string, { segments, seed }: Loaded, now: number): Promise<void> {
  const number = segments.at(-1)!.number + 1;
  const path = join(folder, fileName(number));
  const file = await open(`${path}.tmp`, "w", 0o600);
  try {
    let at = HEADER_SIZE;
    await writeAll(file, [headerOf(seed!)], 0);
    for (const segment of segments) {
      const frames = living(await readFileOf(folder, segment.number), now);
      await writeAll(file, frames, at);
      at += frames.reduce((sum, frame) => sum + frame.length, 0);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.tmp`, path);
  await syncFolder(folder);
  for (const segment of segments) await rm(join(folder, fileName(segment.number)), { force: true });
}

/** Frames with the keys and answers of a file that have not expired. */
function living(bytes: Buffer, now: number): Buffer[] {
  const answers: Buffer[] = [];
  const kept: { readonly words: Uint32Array; readonly expiresAt: number }[] = [];
  eachKey(bytes, scan(bytes).frames, (words, expiresAt, answer) => {
    if (expiresAt <= now) return;
    if (answer) answers.push(bytes.subarray(answer.from, answer.to));
    else kept.push({ words: Uint32Array.from(words), expiresAt });
  });
  if (kept.length === 0) return answers;
  const frame = keysFrame(kept.length);
  for (const [i, { words, expiresAt }] of kept.entries()) {
    frame.words.set(words, 6 * i);
    frame.doubles[3 * i + 2] = expiresAt;
  }
  return [seal(frame.bytes, Kind.keys), ...answers];
}
