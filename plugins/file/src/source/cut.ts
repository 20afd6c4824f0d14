import { randomUUID } from "node:crypto";
import { rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "@mqb/core/plugin";
import { reasonOf } from "../errors.ts";
import { close, fstat, open, readAt, statIfThere, sync, syncDirectory, truncate, write } from "../fs-calls.ts";
import type { PathLock } from "../path-lock.ts";
import type { Generation, RegularInput } from "./regular-input.ts";

/** One consumer that cuts what it has acked off the front of a file. */
export interface CuttingReader {
  readonly input: RegularInput;
  /** Where the acked records end, and in which generation of the input's file. */
  acked: { readonly generation: Generation; readonly offset: number };
  /** Bytes at the start of the file that are none of its business. */
  before: { readonly generation: Generation; readonly length: number };
  /** Bytes of the CSV header, which stays. */
  headerLength(fd: number): Promise<number>;
}

const COPY = 1024 * 1024;

/**
 * Cuts a file for all consumers of its path in one process: what every one of them has acked goes. A cut costs a copy of
 * what is left, so it waits until at least as much can go; when everything can go, the file is truncated in place.
 */
export class FrontCutter {
  private readonly path: string;
  private readonly lock: PathLock;
  private readonly log: Logger;
  private readonly readers = new Set<CuttingReader>();
  private running: Promise<void> = Promise.resolve();
  private warned = false;

  /** `path` is the real one: a rename must not replace a symbolic link. */
  constructor(path: string, lock: PathLock, log: Logger) {
    this.path = path;
    this.lock = lock;
    this.log = log;
  }

  join(reader: CuttingReader): void {
    this.readers.add(reader);
  }

  /** Cuts what can go for good, and forgets the reader. */
  async leave(reader: CuttingReader): Promise<void> {
    if (!this.readers.has(reader)) return;
    await this.cut(true);
    this.readers.delete(reader);
  }

  /** Called after a reader's `acked` has moved. Never rejects: what could not be cut is cut later. */
  advanced(): Promise<void> {
    return this.cut(false);
  }

  private cut(always: boolean): Promise<void> {
    this.running = this.running.then(() => this.tryCut(always));
    return this.running;
  }

  private async tryCut(always: boolean): Promise<void> {
    try {
      await this.lock.run(() => this.cutLocked(always));
    } catch (error) {
      if (!this.warned) this.log.warn(`acknowledged records cannot be cut from ${this.path}: ${reasonOf(error)}`);
      this.warned = true;
    }
  }

  private async cutLocked(always: boolean): Promise<void> {
    const readers = [...this.readers];
    if (readers.length === 0) return;
    let cut: { removed: number; renamed: boolean } | undefined;
    const withAll = async (index: number): Promise<void> => {
      const reader = readers[index];
      if (!reader) return;
      await reader.input.whileIdle(async (fd) => {
        if (index + 1 < readers.length) await withAll(index + 1);
        else cut = await this.rewrite(readers, fd, always);
        if (!cut) return undefined;
        return cut.renamed ? { cut: cut.removed, fd: await open(this.path, "r") } : { cut: cut.removed };
      });
    };
    await withAll(0);
    if (cut?.renamed) this.lock.version += 1;
  }

  private async rewrite(
    readers: readonly CuttingReader[],
    fd: number,
    always: boolean,
  ): Promise<{ removed: number; renamed: boolean } | undefined> {
    const header = await readers[0]!.headerLength(fd);
    const keep = Math.max(header, Math.min(...readers.map(lengthBefore)));
    const upTo = Math.min(...readers.map(ackedPosition));
    const stats = await fstat(fd);
    const size = Number(stats.size);
    const left = size - upTo;
    if (upTo <= keep || left < 0 || (!always && left > upTo - keep)) return undefined;
    const named = await statIfThere(this.path);
    // The name belongs to another file by now: the old one is only read to its end.
    if (named?.ino !== stats.ino) return undefined;
    if (left === 0) {
      await truncateTo(this.path, keep);
    } else await replaceWithout(this.path, fd, keep, upTo, Number(stats.mode & 0o7777n));
    for (const reader of readers) {
      const length = lengthBefore(reader);
      reader.before = {
        generation: reader.input.generation,
        length: length <= keep ? length : Math.max(keep, length - (upTo - keep)),
      };
    }
    return { removed: upTo - keep, renamed: left > 0 };
  }
}

function lengthBefore({ input, before }: CuttingReader): number {
  return before.generation === input.generation ? before.length : 0;
}

/** Nothing of a file that has just taken the place of another is acked. */
function ackedPosition({ input, acked }: CuttingReader): number {
  return acked.generation === input.generation ? acked.offset - acked.generation.shift : 0;
}

async function truncateTo(path: string, length: number): Promise<void> {
  const fd = await open(path, "r+");
  try {
    await truncate(fd, length);
  } finally {
    await close(fd);
  }
}

/** Writes the file anew without `[from .. to)` and puts it in its place. */
async function replaceWithout(path: string, fd: number, from: number, to: number, mode: number): Promise<void> {
  const temporary = `${path}.cut-${randomUUID()}`;
  const out = await open(temporary, "wx", mode);
  try {
    await copyRange(fd, 0, from, out);
    let at = await copyRange(fd, to, Number.MAX_SAFE_INTEGER, out);
    await sync(out);
    await rename(temporary, path);
    await syncDirectory(dirname(path));
    // What was appended while the copy was made.
    at = await copyRange(fd, at, Number.MAX_SAFE_INTEGER, out);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  } finally {
    await close(out);
  }
}

/** Returns the position behind what was copied. */
async function copyRange(fd: number, from: number, to: number, out: number): Promise<number> {
  let at = from;
  while (at < to) {
    const bytes = await readAt(fd, at, Math.min(COPY, to - at));
    if (bytes.length === 0) break;
    for (let written = 0; written < bytes.length; ) written += await write(out, [bytes.subarray(written)], null);
    at += bytes.length;
  }
  return at;
}
