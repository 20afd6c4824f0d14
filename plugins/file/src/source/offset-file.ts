import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isMqbError, type Logger } from "@mqb/core/plugin";
import { codeOfSystem, fileErrors, reasonOf } from "../errors.ts";
import { close, open, sync, truncate, write } from "../fs-calls.ts";
import type { FileIdentity } from "./identity.ts";

export interface StoredPosition {
  readonly offset: number;
  /** Of the file that the offset counts in; undefined when another program has stored the offset. */
  readonly identity: FileIdentity | undefined;
}

interface Wanted {
  readonly offset: number;
  readonly file: { readonly identity: FileIdentity };
}

/**
 * The position of a group: `<path>.<group>.offset` holds 20 decimal digits, written in place with one call, as the
 * original reads and writes it. `<path>.<group>.offset.id` beside it says which file they count in.
 */
export class OffsetFile {
  private readonly path: string;
  private readonly idPath: string;
  private readonly log: Logger;
  private fd: number | undefined;
  /** The identity that is stored, as it stands there. */
  private stored: string | undefined;
  /** The file that the last position was of. */
  private file: Wanted["file"] | undefined;
  private wanted: Wanted | undefined;
  private waiters: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  private running: Promise<void> | undefined;

  constructor(path: string, log: Logger) {
    this.path = path;
    this.idPath = `${path}.id`;
    this.log = log;
  }

  /**
   * Looks whether positions can be stored, and writes nothing. Rejects with a `config` error: without it everything would
   * be delivered before the first one could not be stored, and again after each reconnect.
   */
  async checkUsable(): Promise<void> {
    for (const path of [this.path, this.idPath]) {
      try {
        if ((await stat(path)).isDirectory()) throw fileErrors.POSITION_UNUSABLE({ path, reason: "it is a directory" });
        await access(path, constants.R_OK | constants.W_OK);
      } catch (cause) {
        if (codeOfSystem(cause) !== "ENOENT") throw unusable(path, cause);
      }
    }
    try {
      await access(dirname(this.path), constants.W_OK | constants.X_OK);
    } catch (cause) {
      throw unusable(this.path, cause);
    }
  }

  /** What is stored; undefined when there is nothing, or nothing that can be used. */
  async load(): Promise<StoredPosition | undefined> {
    const text = await this.readIfThere(this.path);
    if (text === undefined) return undefined;
    if (!/^\s*\d{1,20}\s*$/.test(text)) {
      this.log.warn(`${this.path} holds no offset; starting anew`);
      return undefined;
    }
    this.stored = await this.readIfThere(this.idPath);
    return { offset: Number(text), identity: parseIdentity(this.stored) };
  }

  /** Stores a position. Calls that come while one is being written share the next write. Rejects with a coded error. */
  store(offset: number, file: { readonly identity: FileIdentity }): Promise<void> {
    this.wanted = { offset, file };
    const stored = new Promise<void>((resolve, reject) => {
      this.waiters.push({ resolve, reject });
    });
    this.running ??= this.run();
    return stored;
  }

  /** Makes what was stored durable, and frees the file. */
  async close(): Promise<void> {
    await this.running;
    if (this.fd === undefined) return;
    const fd = this.fd;
    this.fd = undefined;
    try {
      await sync(fd);
    } finally {
      await close(fd);
    }
  }

  private async run(): Promise<void> {
    while (this.waiters.length > 0) {
      const waiters = this.waiters;
      this.waiters = [];
      try {
        await this.write(this.wanted!);
        for (const one of waiters) one.resolve();
      } catch (cause) {
        const error = fileErrors.POSITION_FAILED({ path: this.path, reason: reasonOf(cause) }, { cause });
        for (const one of waiters) one.reject(error);
      }
    }
    this.running = undefined;
  }

  private async write({ offset, file }: Wanted): Promise<void> {
    const identity = JSON.stringify(file.identity);
    if (identity !== this.stored) {
      // A crash between these steps finds offset 0, whichever file is named: the file is read from its start.
      if (file !== this.file) await this.writeOffset(0);
      // A name that nobody can have put a link under, and that no other process uses.
      const temporary = `${this.idPath}.${randomUUID()}.tmp`;
      try {
        await writeFile(temporary, identity, { flag: "wx" });
        await rename(temporary, this.idPath);
      } catch (error) {
        await unlink(temporary).catch(() => {});
        throw error;
      }
      this.stored = identity;
    }
    this.file = file;
    await this.writeOffset(offset);
  }

  private async writeOffset(offset: number): Promise<void> {
    if (this.fd === undefined) {
      this.fd = await open(this.path, constants.O_RDWR | constants.O_CREAT);
      await truncate(this.fd, 20);
    }
    const digits = Buffer.from(offset.toString().padStart(20, "0"));
    const count = await write(this.fd, [digits], 0);
    if (count < digits.length) throw new Error(`only ${count} of ${digits.length} digits were written`);
  }

  private async readIfThere(path: string): Promise<string | undefined> {
    try {
      return await readFile(path, "utf8");
    } catch (cause) {
      if (codeOfSystem(cause) === "ENOENT") return undefined;
      throw fileErrors.POSITION_UNREADABLE({ path, reason: reasonOf(cause) }, { cause });
    }
  }
}

function unusable(path: string, cause: unknown): unknown {
  return isMqbError(cause) ? cause : fileErrors.POSITION_UNUSABLE({ path, reason: reasonOf(cause) }, { cause });
}

function parseIdentity(text: string | undefined): FileIdentity | undefined {
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as Partial<FileIdentity> | null;
    const head = value?.head;
    const usable =
      typeof value?.ino === "string" && typeof head?.length === "number" && typeof head.sha256 === "string";
    return usable ? (value as FileIdentity) : undefined;
  } catch {
    return undefined;
  }
}
