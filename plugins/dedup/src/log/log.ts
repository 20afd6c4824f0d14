import { type FileHandle, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger, Message } from "@mqb/core/plugin";
import { describeError } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { fileName, syncFolder, writeAll } from "./folder.ts";
import { FRAME_HEADER_SIZE, frameEnd, headerOf, readAnswer } from "./frame.ts";

/** A file that is full is followed by a new one: what has expired goes file by file. */
const FULL = 16 * 1024 * 1024;
/** So long after a write it is on the disk, also without `durable`. */
const SYNC_MS = 500;

/** One file of keys. */
export interface Segment {
  readonly number: number;
  size: number;
  /** When the last key of it expires, Unix milliseconds. */
  expiresAt: number;
}

/** Where an answer is stored. */
export interface StoredAnswer {
  readonly segment: number;
  readonly from: number;
  readonly to: number;
}

export interface LogOptions {
  readonly folder: string;
  readonly seed: Uint8Array;
  readonly clock: Clock;
  readonly log: Logger;
  /** Oldest first. */
  readonly segments: Segment[];
  /** Whether the last one can be written on. */
  readonly goesOn: boolean;
  readonly release: () => Promise<void>;
}

interface Job {
  readonly frames: readonly Buffer[];
  readonly expiresAt: number;
  done(written: StoredAnswer): void;
  fail(error: unknown): void;
}

/**
 * Keys on disk: files that are only appended to, and removed when everything in them has expired. What was appended
 * survives the end of the process, however it comes; with `durable` that of the machine too. Appends that arrive during a
 * write are written together by the next one.
 */
export class Log {
  /** Every append waits for the disk. */
  durable = false;
  private readonly o: LogOptions;
  private active: { readonly segment: Segment; readonly file: FileHandle } | undefined;
  private goesOn: boolean;
  private jobs: Job[] = [];
  private working: Promise<void> | undefined;
  private cancelSync: (() => void) | undefined;
  private syncing: Promise<void> | undefined;
  private failure: unknown;
  private closed = false;

  constructor(options: LogOptions) {
    this.o = options;
    this.goesOn = options.goesOn;
  }

  /** Appends frames of which no key lives longer than `expiresAt`. Resolves with where the first one begins. */
  append(frames: readonly Buffer[], expiresAt: number): Promise<StoredAnswer> {
    if (this.closed) return Promise.reject(errors.CLOSED({}));
    return new Promise((done, fail) => {
      this.jobs.push({ frames, expiresAt, done, fail });
      this.working ??= this.work();
    });
  }

  /** The stored answer; undefined when its file has gone meanwhile. */
  async answer({ segment, from, to }: StoredAnswer): Promise<Message | undefined> {
    let bytes: Buffer;
    try {
      const file = await open(this.path(segment), "r");
      try {
        bytes = Buffer.alloc(to - from);
        await file.read(bytes, 0, bytes.length, from);
      } finally {
        await file.close();
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw errors.IO({ path: this.o.folder, action: "read" }, { cause });
    }
    return frameEnd(bytes, 0) < 0 ? undefined : readAnswer(bytes.subarray(FRAME_HEADER_SIZE));
  }

  /** Idempotent. Waits for what was appended, and for the disk. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.working;
    const isDirty = this.cancelSync !== undefined;
    this.cancelSync?.();
    this.cancelSync = undefined;
    await this.syncing;
    try {
      if (isDirty) await this.active?.file.datasync();
      await this.active?.file.close();
    } catch (error) {
      this.o.log.warn(`the keys in ${this.o.folder} may not all be on the disk: ${describeError(error)}`);
    } finally {
      await this.o.release();
    }
  }

  private async work(): Promise<void> {
    while (this.jobs.length > 0) {
      const jobs = this.jobs;
      this.jobs = [];
      try {
        await this.write(jobs);
      } catch (cause) {
        const error = errors.IO({ path: this.o.folder, action: "stored" }, { cause });
        for (const job of jobs) job.fail(error);
      }
    }
    this.working = undefined;
  }

  private async write(jobs: readonly Job[]): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    const { segment, file } = await this.writable();
    const frames = jobs.flatMap((job) => job.frames);
    try {
      await writeAll(file, frames, segment.size);
    } catch (error) {
      // A part that was written must not look like something that counts.
      await file.truncate(segment.size).catch(() => {});
      throw error;
    }
    if (this.durable) await this.sync(file);
    else this.syncLater();
    if (this.failure !== undefined) throw this.failure;
    for (const job of jobs) {
      const from = segment.size;
      for (const frame of job.frames) segment.size += frame.length;
      segment.expiresAt = Math.max(segment.expiresAt, job.expiresAt);
      job.done({ segment: segment.number, from, to: segment.size });
    }
  }

  /** The last file, or a new one when that is full. */
  private async writable(): Promise<{ readonly segment: Segment; readonly file: FileHandle }> {
    const { segments } = this.o;
    const last = segments.at(-1);
    if (this.active && this.active.segment.size < FULL) return this.active;
    if (!this.active && this.goesOn && last && last.size < FULL) {
      return (this.active = { segment: last, file: await open(this.path(last.number), "r+") });
    }
    if (this.active) {
      const { file } = this.active;
      this.active = undefined;
      await this.syncing;
      await file.datasync();
      await file.close();
    }
    this.goesOn = true;
    const header = headerOf(this.o.seed);
    const segment: Segment = { number: (last?.number ?? 0) + 1, size: header.length, expiresAt: 0 };
    const file = await open(this.path(segment.number), "wx", 0o600);
    await writeAll(file, [header], 0);
    await file.sync();
    await syncFolder(this.o.folder);
    segments.push(segment);
    this.active = { segment, file };
    await this.removeExpired();
    return this.active;
  }

  private async removeExpired(): Promise<void> {
    const { segments, clock } = this.o;
    const now = clock.now();
    for (const segment of segments.slice(0, -1)) {
      if (segment.expiresAt > now) continue;
      await rm(this.path(segment.number), { force: true });
      segments.splice(segments.indexOf(segment), 1);
    }
  }

  private syncLater(): void {
    this.cancelSync ??= this.o.clock.timer(SYNC_MS, () => {
      this.cancelSync = undefined;
      if (this.active) this.syncing = this.sync(this.active.file);
    });
  }

  private async sync(file: FileHandle): Promise<void> {
    try {
      await file.datasync();
    } catch (error) {
      // What the system has dropped it will not write later: nothing more counts as stored.
      this.failure = error;
      this.o.log.error(`the keys in ${this.o.folder} cannot be written to the disk: ${describeError(error)}`);
    }
  }

  private path(number: number): string {
    return join(this.o.folder, fileName(number));
  }
}

/** All bytes of a file of keys. */
export async function readFileOf(folder: string, number: number): Promise<Buffer> {
  try {
    return await readFile(join(folder, fileName(number)));
  } catch (cause) {
    throw errors.IO({ path: folder, action: "read" }, { cause });
  }
}
