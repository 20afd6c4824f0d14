import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { link, readdir, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock, Logger } from "@mqb/core/plugin";
import { reasonOf } from "../errors.ts";
import { close, fstat, open, readAt, statIfThere, sync, syncDirectory, takeOver, writeAll } from "../fs-calls.ts";
import { isAlive, thisProcess } from "../process-mark.ts";

/** Bytes of an open file, `[from .. to)`; to its end where `to` is left out. */
export interface FileRange {
  readonly fd: number;
  readonly from: number;
  readonly to?: number;
}

/** What a new file is made of, and what it replaces. */
export interface Replacement {
  /** The real path. */
  readonly path: string;
  /** The file that has the path now. */
  readonly ino: bigint;
  /** The last one is a range of the present file, to its end. */
  readonly parts: readonly FileRange[];
  /** Descriptors to read the new file with. */
  readonly readers: number;
  readonly clock: Clock;
  readonly log: Logger;
}

const COPY = 1024 * 1024;

/**
 * A file that has taken the place of another one. Whoever opened the old one before may write to it still: it is kept,
 * with a hidden name of its own, until it has been quiet, so that nothing of that is lost, also if this process dies.
 */
export class Succession {
  readonly path: string;
  /** The old file, open for reading. */
  readonly fd: number;
  readonly ino: bigint;
  /** Of the new file. */
  readonly newIno: bigint;
  /** Size of the new file before anybody else has written to it. */
  readonly base: number;
  /** Up to here the old file's bytes are in the new one, were acked, or are known to have been read. */
  accounted: number;
  /** Descriptors of the new file that nobody has taken yet. */
  readonly fresh: number[];
  private readonly clock: Clock;
  private readonly hiddenName: string | undefined;
  private size: number;
  private changed: number;

  private constructor(of: Replacement, fd: number, made: Made, hiddenName: string | undefined) {
    this.path = of.path;
    this.clock = of.clock;
    this.fd = fd;
    this.ino = of.ino;
    this.newIno = made.ino;
    this.base = made.size;
    this.fresh = made.fresh;
    this.accounted = made.copied;
    this.size = made.copied;
    this.changed = of.clock.monotonic();
    this.hiddenName = hiddenName;
  }

  /** Puts the new file in the place of the old one. Undefined when the path belongs to another file by now. */
  static async begin(of: Replacement): Promise<Succession | undefined> {
    const { path } = of;
    const fd = await open(path, "r");
    let made: Made | undefined;
    let kept: string | undefined;
    try {
      const stats = await fstat(fd);
      if (stats.ino === of.ino) {
        made = await makeFile(of, stats);
        kept = await hide(path, made.copied);
        if ((await statIfThere(path))?.ino === of.ino) {
          await rename(made.name, path);
          await syncDirectory(dirname(path));
          return new Succession(of, fd, made, kept);
        }
      }
    } catch (error) {
      await discard(fd, made, kept);
      throw error;
    }
    await discard(fd, made, kept);
    return undefined;
  }

  /** The size of the old file now. */
  async look(): Promise<number> {
    const size = Number((await fstat(this.fd)).size);
    if (size !== this.size) this.changed = this.clock.monotonic();
    this.size = size;
    return size;
  }

  /** Milliseconds since the old file was last seen to grow. */
  get quiet(): number {
    return this.clock.monotonic() - this.changed;
  }

  /** Appends to the path what was written to the old file since. Returns how many bytes. */
  async rescue(): Promise<number> {
    const size = await this.look();
    if (size <= this.accounted) return 0;
    const count = await appendTo(this.path, { fd: this.fd, from: this.accounted });
    this.accounted += count;
    return count;
  }

  /** Lets go of the old file. */
  async end(): Promise<void> {
    for (const fd of this.fresh.splice(0)) await close(fd);
    await close(this.fd);
    if (this.hiddenName !== undefined) await unlink(this.hiddenName).catch(() => {});
  }
}

/**
 * Takes up what killed processes have left behind: new files that they were making are removed, and what was written to
 * an old file in the last moment is appended to the path.
 */
export async function recover(path: string, log: Logger): Promise<void> {
  const directory = dirname(path);
  const prefix = hiddenPrefix(path);
  for (const name of await readdir(directory).catch(() => [])) {
    const rest = name.startsWith(prefix) ? HIDDEN.exec(name.slice(prefix.length)) : null;
    if (!rest || isAlive({ pid: Number(rest[1]), began: Number(rest[2]) })) continue;
    const left = join(directory, name);
    if (rest[3] !== undefined) {
      const fd = await open(left, "r");
      try {
        const count = await appendTo(path, { fd, from: Number(rest[3]) });
        if (count > 0) log.warn(`${path}: took up ${count} bytes that a killed process had not taken over`);
      } finally {
        await close(fd);
      }
    }
    await unlink(left).catch(() => {});
  }
}

interface Made {
  readonly name: string;
  readonly ino: bigint;
  readonly size: number;
  readonly fresh: number[];
  /** Position in the present file behind what was copied. */
  readonly copied: number;
}

async function makeFile(of: Replacement, stats: Awaited<ReturnType<typeof fstat>>): Promise<Made> {
  const name = join(dirname(of.path), `${hiddenPrefix(of.path)}${ownMark()}-${randomUUID()}`);
  const out = await open(name, "wx", 0o600);
  const fresh: number[] = [];
  try {
    await takeOver(out, stats).catch((error: unknown) => {
      of.log.warn(`${of.path}: mode and owner cannot be kept: ${reasonOf(error)}; other users may be locked out`);
    });
    let copied = 0;
    for (const part of of.parts) copied = part.from + (await copyRange(part, out));
    const { size, ino } = await fstat(out);
    if (size > 0n) await sync(out);
    for (let i = 0; i < of.readers; i++) fresh.push(await open(name, "r"));
    return { name, ino, size: Number(size), fresh, copied };
  } catch (error) {
    for (const fd of fresh) await close(fd);
    await unlink(name).catch(() => {});
    throw error;
  } finally {
    await close(out);
  }
}

async function discard(fd: number, made: Made | undefined, kept: string | undefined): Promise<void> {
  await close(fd);
  for (const one of made?.fresh ?? []) await close(one);
  if (made) await unlink(made.name).catch(() => {});
  if (kept !== undefined) await unlink(kept).catch(() => {});
}

/** A second name for the old file; undefined on file systems without hard links, where a kill may lose its last bytes. */
async function hide(path: string, accounted: number): Promise<string | undefined> {
  const name = join(dirname(path), `${hiddenPrefix(path)}${ownMark()}-${randomUUID()}-${accounted}`);
  try {
    await link(path, name);
    return name;
  } catch {
    return undefined;
  }
}

const HIDDEN = /^(\d+)-(\d+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-(\d+))?$/;

function hiddenPrefix(path: string): string {
  return `.${basename(path)}.mqb-cut-`;
}

function ownMark(): string {
  const { pid, began } = thisProcess();
  return `${pid}-${began}`;
}

async function appendTo(path: string, range: FileRange): Promise<number> {
  const out = await open(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
  try {
    return await copyRange(range, out);
  } finally {
    await close(out);
  }
}

/** Returns how many bytes were copied. */
async function copyRange({ fd, from, to = Number.MAX_SAFE_INTEGER }: FileRange, out: number): Promise<number> {
  let at = from;
  while (at < to) {
    const bytes = await readAt(fd, at, Math.min(COPY, to - at));
    if (bytes.length === 0) break;
    await writeAll(out, bytes);
    at += bytes.length;
  }
  return at - from;
}
