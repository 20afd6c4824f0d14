import { type BigIntStats, constants, fstatSync, statSync } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import type { OpenContext, Shared } from "@mqb/core/plugin";
import { codeOfSystem, fileErrors, reasonOf } from "../errors.ts";
import { close, fstat, open, sync, syncDirectory, truncate, write } from "../fs-calls.ts";
import { type PathLock, pathLock } from "../path-lock.ts";
import { cutTornTail, TailMark } from "./torn-tail.ts";

/** What a file holds when its next records are encoded. */
export interface FileState {
  readonly size: number;
  /** Columns of its CSV rows, once known; forgotten when another file takes the name. */
  columns: readonly string[] | undefined;
}

/** How the records of a file are written: all that write to it have to agree. */
export interface Writing {
  /** Ends a record; undefined where records are compressed. */
  readonly terminator: Uint8Array | undefined;
  /** Format, delimiter and codec, compared as text. */
  readonly manner: string;
}

/** A file that is appended to; one for all sinks of a bridge that write to the same real path. */
export class AppendFile {
  private readonly path: string;
  private readonly lock: PathLock;
  private readonly mark: TailMark;
  private readonly manner: string;
  private fd: number | undefined;
  private version: number;
  private size = 0;
  private ino = 0n;
  private dev = 0n;
  private columns: readonly string[] | undefined;
  /** Another file has the name by now: the next append opens it. */
  private moved = false;

  private constructor(path: string, lock: PathLock, manner: string) {
    this.path = path;
    this.lock = lock;
    this.manner = manner;
    this.mark = new TailMark(path);
    this.version = lock.version;
  }

  /**
   * Opens the file, makes it and its folders where they are missing. Half a record that a killed process left behind is
   * cut off. Rejects with a `config` error, or a `connection` error where another time it may do.
   */
  static async share(path: string, writing: Writing, context: OpenContext): Promise<Shared<AppendFile>> {
    const fd = await openToAppend(path);
    let unused = true;
    try {
      // The real path exists only now.
      const real = await realpath(path);
      const lock = pathLock(context, real);
      const shared = await context.share(
        `file:sink:${real}`,
        async () => {
          const cut = await cutTornTail(real, fd, writing.terminator);
          if (cut > 0)
            context.log.warn(`${path}: cut off ${cut} bytes of a record that a killed process left unfinished`);
          const file = new AppendFile(real, lock, writing.manner);
          await file.use(fd);
          unused = false;
          return file;
        },
        (file) => file.close(),
      );
      if (shared.value.manner === writing.manner) return shared;
      await shared.release();
      throw fileErrors.OTHER_RECORDS({ path });
    } finally {
      if (unused) await close(fd);
    }
  }

  /**
   * Appends what `encode` makes, with one write call, while nobody else of this bridge writes. After a failed write the
   * file has its old length again, unless another program has appended meanwhile. Resolves when the system has taken
   * all of it. Rejects with `retryable` errors.
   */
  append(encode: (state: FileState) => Promise<readonly Buffer[]> | readonly Buffer[]): Promise<void> {
    return this.lock.run(async () => {
      for (;;) {
        this.look();
        await this.reopenIfMoved();
        const state: FileState = { size: this.size, columns: this.columns };
        const chunks = await encode(state);
        if (chunks.length === 0) return;
        await this.writeAll(chunks);
        this.columns = state.columns;
        if (!this.wasDeleted()) return;
      }
    });
  }

  /** Finds the columns that the file has, before the first row is encoded. */
  learn(find: (state: FileState) => Promise<void>): Promise<void> {
    return this.lock.run(async () => {
      await this.reopenIfMoved();
      const state: FileState = { size: this.size, columns: this.columns };
      await find(state);
      this.columns = state.columns;
    });
  }

  /** Forces everything appended so far to the disk. */
  sync(): Promise<void> {
    return this.lock.run(async () => {
      try {
        await sync(this.fd!);
      } catch (cause) {
        throw fileErrors.SYNC_FAILED({ path: this.path, reason: reasonOf(cause) }, { cause });
      }
    });
  }

  /** Makes the file's name durable. */
  async syncName(): Promise<void> {
    try {
      await syncDirectory(dirname(this.path));
    } catch (cause) {
      throw fileErrors.SYNC_FAILED({ path: dirname(this.path), reason: reasonOf(cause) }, { cause });
    }
  }

  private close(): Promise<void> {
    return this.lock.run(async () => {
      const { fd } = this;
      this.fd = undefined;
      this.mark.end();
      if (fd !== undefined) await close(fd);
    });
  }

  private async use(fd: number): Promise<void> {
    const before = this.fd;
    this.fd = fd;
    this.version = this.lock.version;
    this.moved = false;
    this.columns = undefined;
    const { size, ino, dev } = await fstat(fd);
    this.size = Number(size);
    this.ino = ino;
    this.dev = dev;
    if (before !== undefined) await close(before);
  }

  private async reopenIfMoved(): Promise<void> {
    if (this.fd === undefined) throw fileErrors.CLOSED({ path: this.path });
    if (!this.moved && this.version === this.lock.version) return;
    try {
      await this.use(await openToAppend(this.path));
    } catch (cause) {
      // A route that runs does not end because somebody moves files about: the next try may find all in order.
      throw fileErrors.WRITE_FAILED({ path: this.path, reason: reasonOf(cause), partial: false }, { cause });
    }
  }

  /**
   * What others have done with the file since the last batch: renamed or deleted it, appended, or emptied it, so that its
   * header is gone. Synchronous, as the mark of `writeAll` is: it costs microseconds, a turn of the thread pool many times that.
   */
  private look(): void {
    const named = statOf(this.path);
    if (named === undefined || named.ino !== this.ino || named.dev !== this.dev) {
      this.moved = true;
      return;
    }
    this.size = Number(named.size);
    if (this.size === 0) this.columns = undefined;
  }

  /** Whether the file was deleted after `look`, and with it what was just written. */
  private wasDeleted(): boolean {
    return fstatSync(this.fd!).nlink === 0;
  }

  private async writeAll(chunks: readonly Buffer[]): Promise<void> {
    const fd = this.fd!;
    let written = 0;
    let left = chunks;
    this.mark.begin(this.ino, this.size, lengthOf(chunks));
    try {
      while (left.length > 0) {
        const count = await write(fd, left, null);
        written += count;
        left = behind(left, count);
      }
    } catch (cause) {
      const partial = await this.undo(fd, written);
      throw fileErrors.WRITE_FAILED({ path: this.path, reason: reasonOf(cause), partial }, { cause });
    }
    this.size += written;
  }

  /** Takes back what was written of a batch. True when that is not possible. */
  private async undo(fd: number, written: number): Promise<boolean> {
    try {
      const { size } = await fstat(fd);
      if (Number(size) === this.size) return false;
      if (Number(size) !== this.size + written) return written > 0;
      await truncate(fd, this.size);
      return false;
    } catch {
      return written > 0;
    }
  }
}

/** Faults of the machine, not of the configuration. */
const NO_ROOM = new Set(["EMFILE", "ENFILE", "ENOSPC", "EDQUOT", "EIO", "ENOMEM"]);

/** Undefined also where the path cannot be followed any more: opening it says why. */
function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

async function openToAppend(path: string): Promise<number> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND;
  try {
    return await open(path, flags).catch(async (error: unknown) => {
      if (codeOfSystem(error) !== "ENOENT") throw error;
      await mkdir(dirname(path), { recursive: true });
      return open(path, flags);
    });
  } catch (cause) {
    const code = codeOfSystem(cause);
    if (code === "EISDIR") throw fileErrors.IS_DIRECTORY({ path });
    if (NO_ROOM.has(code ?? "")) throw fileErrors.NO_ROOM({ path, reason: reasonOf(cause) }, { cause });
    throw fileErrors.NOT_WRITABLE({ path, reason: reasonOf(cause) }, { cause });
  }
}

function lengthOf(chunks: readonly Buffer[]): number {
  let length = 0;
  for (const chunk of chunks) length += chunk.length;
  return length;
}

/** What is left of the chunks behind `count` bytes. */
function behind(chunks: readonly Buffer[], count: number): Buffer[] {
  const left: Buffer[] = [];
  for (const chunk of chunks) {
    if (count >= chunk.length) count -= chunk.length;
    else {
      left.push(count > 0 ? chunk.subarray(count) : chunk);
      count = 0;
    }
  }
  return left;
}
