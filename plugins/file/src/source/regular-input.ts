import type { BigIntStats } from "node:fs";
import type { Clock, Logger } from "@mqb/core/plugin";
import { fileErrors, reasonOf } from "../errors.ts";
import { close, fstat, open, read, statIfThere } from "../fs-calls.ts";
import { Growth } from "./growth.ts";
import { compareIdentity, type FileIdentity, HEAD_BYTES, identityOf } from "./identity.ts";
import { type ByteInput, CHUNK_BYTES, type Chunk } from "./input.ts";

/** One content of one file under the path, until it is truncated or another file takes its place. */
export interface Generation {
  identity: FileIdentity;
  /** Bytes that were cut off the front since; file position = offset - shift. */
  shift: number;
}

/** What `follow` found out. */
export type Followed =
  /** There is more to read. */
  | "more"
  /** The rest belongs to another file: what was held of the old one is its last record. */
  | "replaced"
  /** The file begins anew: what was held of it is gone. */
  | "truncated"
  /** Nothing for now. */
  | "nothing";

export interface RegularInputOptions {
  readonly path: string;
  readonly draining: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** Room to leave before each chunk, for the record that is carried over. */
  readonly headroom: number;
}

/** A replaced file is read on until it has been quiet for this long: its writer may hold it open still. */
const QUIET_MS = 1000;
const SMALL = 4096;

/** A regular file: read to its end, then followed through growth, truncation and replacement. */
export class RegularInput implements ByteInput {
  generation: Generation;
  /**
   * Set while another file has the name and yet this one is not to be left at its end: whoever set it moves the input
   * on. A drain, which does not wait, calls it at the end.
   */
  stay: (() => Promise<void>) | undefined;
  private readonly options: RegularInputOptions;
  private readonly growth: Growth;
  private fd: number;
  /** Offset of the next byte to read, in the generation's count. */
  private offset: number;
  private size: number;
  /** Since when another file has had the name. */
  private replacedSince: number | undefined;
  private busy: Promise<unknown> = Promise.resolve();
  private closed = false;
  /** A buffer to read into, where the last one was given back. */
  private spare: Buffer | undefined;

  constructor(fd: number, identity: FileIdentity, offset: number, options: RegularInputOptions) {
    this.fd = fd;
    this.generation = { identity, shift: 0 };
    this.offset = offset;
    this.size = 0;
    this.options = options;
    this.growth = new Growth(options.path, options.clock);
    if (!options.draining) this.growth.listen();
  }

  next(): Promise<Chunk | "end"> {
    return this.exclusively(() => this.readChunk());
  }

  recycle(bytes: Buffer): void {
    this.spare = bytes;
  }

  /** Called at the end: finds out what comes after it. Waits once for a change when there is nothing. */
  async follow(signal: AbortSignal): Promise<Followed> {
    let found = await this.exclusively(() => this.look());
    if (found === "nothing" && this.options.draining && this.stay) {
      await this.stay();
      found = await this.exclusively(() => this.look());
    }
    if (found !== "nothing" || this.options.draining || this.closed) return found;
    if (!this.growth.listening) this.growth.listen();
    await this.growth.wait(signal);
    return "nothing";
  }

  /** Runs `work` while nothing is being read. */
  whileIdle(work: () => Promise<void>): Promise<void> {
    return this.exclusively(work);
  }

  /**
   * Goes on reading in another file, where what comes next stands `by` bytes nearer to the start. Takes the descriptor
   * over. To be called within `whileIdle` only.
   */
  async moveTo(fd: number, by: number): Promise<void> {
    const before = this.fd;
    this.fd = fd;
    this.size = 0;
    this.generation.shift += by;
    this.generation.identity = await identityOf(fd);
    await close(before);
    if (!this.options.draining) this.growth.listen();
  }

  /** The descriptor that is read; valid within `whileIdle`. */
  get descriptor(): number {
    return this.fd;
  }

  /** The number of the file that is read. */
  get ino(): string {
    return this.generation.identity.ino;
  }

  /** Position in the file of the next byte to read. */
  get position(): number {
    return this.offset - this.generation.shift;
  }

  /** Bytes behind what was read, as far as known. */
  get pending(): number {
    return Math.max(0, this.size - this.position);
  }

  /** How far the file was read, in bytes; undefined while its size is not known. */
  get progress(): { readonly position: number; readonly total: number } | undefined {
    const { position } = this;
    return this.size > 0 ? { position, total: Math.max(this.size, position) } : undefined;
  }

  /** Wakes a waiting `follow`. */
  wake(): void {
    this.growth.signal();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.growth.close();
    await this.busy.catch(() => {});
    await close(this.fd);
  }

  private async readChunk(): Promise<Chunk | "end"> {
    if (this.closed) return "end";
    const { position } = this;
    try {
      if (position >= this.size) this.size = Number((await fstat(this.fd)).size);
      // Files of /proc have a size of 0 and contents.
      if (position >= this.size && this.size > 0) return "end";
      const { headroom } = this.options;
      const length = Math.max(SMALL, Math.min(CHUNK_BYTES, this.size - position));
      const bytes = this.bufferOf(headroom + length);
      const count = await read(this.fd, bytes, headroom, length, position);
      if (count === 0) return "end";
      this.offset += count;
      return { bytes, start: headroom, end: headroom + count };
    } catch (cause) {
      throw fileErrors.READ_FAILED({ path: this.options.path, reason: reasonOf(cause) }, { cause });
    }
  }

  private bufferOf(size: number): Buffer {
    const { spare } = this;
    this.spare = undefined;
    return spare && spare.length >= size ? spare : Buffer.allocUnsafeSlow(size);
  }

  private async look(): Promise<Followed> {
    if (this.closed) return "nothing";
    const stats = await fstat(this.fd);
    const size = Number(stats.size);
    const { position } = this;
    if (size < position) return this.beginAgain(size);
    if (size > position) {
      if ((await compareIdentity(this.generation.identity, this.fd)) !== "same") return this.beginAgain(size);
      await this.learnHead();
      this.size = size;
      if (this.replacedSince !== undefined) this.replacedSince = this.options.clock.monotonic();
      return "more";
    }
    await this.learnHead();
    if (this.stay) return "nothing";
    const named = await statIfThere(this.options.path);
    if (named === undefined || sameInode(named, stats) || !named.isFile()) {
      this.replacedSince = undefined;
      return "nothing";
    }
    const now = this.options.clock.monotonic();
    this.replacedSince ??= now;
    if (!this.options.draining && now - this.replacedSince < QUIET_MS) return "nothing";
    return this.takeNewFile();
  }

  private async beginAgain(size: number): Promise<Followed> {
    this.options.log.warn(`${this.options.path} was truncated; reading it again from the start`, {
      size,
      read: this.offset,
    });
    this.generation = { identity: await identityOf(this.fd), shift: 0 };
    this.offset = 0;
    this.size = size;
    return "truncated";
  }

  private async takeNewFile(): Promise<Followed> {
    let fd: number;
    try {
      fd = await open(this.options.path, "r");
    } catch {
      // Between two renames, or not readable yet: the next look decides.
      return "nothing";
    }
    const before = this.fd;
    this.fd = fd;
    this.generation = { identity: await identityOf(fd), shift: 0 };
    this.offset = 0;
    this.size = 0;
    this.replacedSince = undefined;
    await close(before);
    if (!this.options.draining) this.growth.listen();
    this.options.log.info(`${this.options.path} was replaced; reading the new file from the start`);
    return "replaced";
  }

  /** A file is known the better the longer its head is. */
  private async learnHead(): Promise<void> {
    if (this.generation.identity.head.length < HEAD_BYTES) this.generation.identity = await identityOf(this.fd);
  }

  private exclusively<T>(work: () => Promise<T>): Promise<T> {
    const run = this.busy.then(work, work);
    this.busy = run.catch(() => {});
    return run;
  }
}

function sameInode(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}
