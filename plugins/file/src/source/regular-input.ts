import type { BigIntStats } from "node:fs";
import type { Clock, Logger } from "@mqb/core/plugin";
import { giveBackKernelBuffer, isKernelBuffer, takeKernelBuffer } from "@mqb/formats";
import { fileErrors, reasonOf } from "../errors.ts";
import { close, fstat, open, read, readAt, statIfThere } from "../fs-calls.ts";
import { Growth, POLL_MS } from "./growth.ts";
import { compareIdentity, digest, type FileIdentity, HEAD_BYTES, identityOf } from "./identity.ts";
import { type ByteInput, CHUNK_BYTES, type Chunk } from "./input.ts";
import { sameInode, warnOfSkipped } from "./siblings.ts";

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
  /** Buffers that it may still have of the kernel, counted over all connections of a run; default: its own count. */
  readonly kernelBuffers?: KernelBuffers;
}

/**
 * A route gets no more of the kernel's few buffers than this in one run. What came back from a sink, or was cut off in
 * flight, is never given back, since somebody may look at it still: a route that fails again and again loses its own
 * share that way, not that of the others.
 */
export interface KernelBuffers {
  left: number;
}

export const KERNEL_BUFFERS_MAX = 5;

/** A replaced file is read on until it has been quiet for this long: its writer may hold it open still. */
const QUIET_MS = 1000;
const SMALL = 4096;
const SPARES = 4;
/** A reader that was held up for so long looks whether the file is still the same. */
const PAUSE_MS = 100;
/** Times of files are coarse: a later change may bear the same one for so long. */
const TIME_GRAIN_MS = 2000n;
/** Files that are kept open because they have had the name meanwhile. */
const SUCCESSORS_MAX = 100;

/** What the end of a file looked like. */
interface End {
  readonly position: number;
  readonly modified: bigint;
  /** Of the last bytes before it. */
  readonly digest: string;
  /** The time was long ago, so that a change since has another one. */
  readonly settled: boolean;
}

interface Successor {
  readonly fd: number;
  readonly stats: BigIntStats;
}

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
  /** The file has contents and no size, as those of /proc. */
  private sizeless = false;
  private end: End | undefined;
  private lastRead = 0;
  private told = false;
  private cancelSearch: (() => void) | undefined;
  /** Files that have had the name since, in their order: opened at once, so that none is missed. */
  private readonly successors: Successor[] = [];
  /** Since when another file has had the name. */
  private replacedSince: number | undefined;
  private busy: Promise<unknown> = Promise.resolve();
  private closed = false;
  /** Buffers to read into, that were given back. */
  private readonly spares: Buffer[] = [];
  private readonly kernelBuffers: KernelBuffers;

  constructor(fd: number, identity: FileIdentity, offset: number, options: RegularInputOptions) {
    this.fd = fd;
    this.generation = { identity, shift: 0 };
    this.offset = offset;
    this.size = 0;
    this.options = options;
    this.kernelBuffers = options.kernelBuffers ?? { left: KERNEL_BUFFERS_MAX };
    this.growth = new Growth(options.path, options.clock, () => this.nameLost());
    if (!options.draining) this.growth.listen();
  }

  next(): Promise<Chunk | "end"> {
    return this.exclusively(() => this.readChunk());
  }

  /** Who gives buffers back gets such as the kernel looks into without a copy. */
  recycle(bytes: Buffer): void {
    this.keep(isKernelBuffer(bytes) || this.closed ? bytes : (this.takeOfKernel(bytes.length) ?? bytes));
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
    this.end = undefined;
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
    this.cancelSearch?.();
    this.growth.close();
    await this.busy.catch(() => {});
    for (const spare of this.spares.splice(0)) this.giveBack(spare);
    for (const { fd } of this.successors.splice(0)) await close(fd);
    await close(this.fd);
  }

  private async readChunk(): Promise<Chunk | "end"> {
    if (this.closed) return "end";
    const { position } = this;
    try {
      if (await this.changedInPause()) return "end";
      if (position >= this.size) this.size = Number((await fstat(this.fd)).size);
      // Files of /proc have a size of 0 and contents.
      if (position >= this.size && this.size > 0) return "end";
      const { headroom } = this.options;
      const length = Math.max(SMALL, Math.min(CHUNK_BYTES, this.size - position));
      const bytes = this.bufferOf(headroom + length);
      const count = await this.readInto(bytes, length, position);
      if (count === 0) return "end";
      this.offset += count;
      return { bytes, start: headroom, end: headroom + count };
    } catch (cause) {
      throw fileErrors.READ_FAILED({ path: this.options.path, reason: reasonOf(cause) }, { cause });
    }
  }

  /** Bytes read behind the headroom; a buffer into which none came is kept for the next. */
  private async readInto(bytes: Buffer, length: number, position: number): Promise<number> {
    let count = 0;
    try {
      const some = await read(this.fd, bytes, this.options.headroom, length, position);
      this.lastRead = performance.now();
      if (some > 0 && this.size === 0) this.sizeless = (await fstat(this.fd)).size === 0n;
      count = some;
    } finally {
      if (count === 0) this.keep(bytes);
    }
    return count;
  }

  private bufferOf(size: number): Buffer {
    const at = this.spares.findIndex((spare) => spare.length >= size);
    if (at >= 0) return this.spares.splice(at, 1)[0]!;
    // All are too small: one makes room for what comes back in its place.
    const small = this.spares.pop();
    if (small) this.giveBack(small);
    return Buffer.allocUnsafeSlow(size);
  }

  /** Keeps a buffer that nobody looks at, to be filled again. */
  private keep(bytes: Buffer): void {
    if (this.spares.includes(bytes)) return;
    if (this.spares.length < SPARES && !this.closed) this.spares.push(bytes);
    else this.giveBack(bytes);
  }

  private takeOfKernel(size: number): Buffer | undefined {
    if (this.kernelBuffers.left === 0) return undefined;
    const bytes = takeKernelBuffer(size);
    if (bytes) this.kernelBuffers.left -= 1;
    return bytes;
  }

  private giveBack(bytes: Buffer): void {
    if (giveBackKernelBuffer(bytes)) this.kernelBuffers.left += 1;
  }

  /** Whether other contents have come into the file while nobody read it; what they are is for `look` to find out. */
  private async changedInPause(): Promise<boolean> {
    const now = performance.now();
    const paused = this.lastRead > 0 && now - this.lastRead > PAUSE_MS;
    this.lastRead = now;
    return paused && !this.sizeless && (await compareIdentity(this.generation.identity, this.fd)) !== "same";
  }

  private async look(): Promise<Followed> {
    if (this.closed) return "nothing";
    const stats = await fstat(this.fd);
    const size = Number(stats.size);
    const { position } = this;
    if (size > 0) this.sizeless = false;
    if (!this.sizeless) {
      if (size < position || (await this.isRewritten(stats))) return this.beginAgain(size);
      await this.learnHead();
    }
    if (size > position) {
      this.size = size;
      if (this.replacedSince !== undefined) this.replacedSince = this.options.clock.monotonic();
      return "more";
    }
    await this.noticeName();
    if (this.successors.length === 0) return "nothing";
    const now = this.options.clock.monotonic();
    this.replacedSince ??= now;
    if (!this.options.draining && now - this.replacedSince < QUIET_MS) return "nothing";
    return this.takeNewFile(stats);
  }

  /** Whether what was read does not stand in the file any more, as far as its first and last bytes tell. */
  private async isRewritten(stats: BigIntStats): Promise<boolean> {
    const { position, end } = this;
    const modified = stats.mtimeNs;
    if (end?.settled && end.position === position && end.modified === modified) return false;
    if ((await compareIdentity(this.generation.identity, this.fd)) !== "same") return true;
    if (Number(stats.size) > position) return false;
    const from = Math.max(0, position - HEAD_BYTES);
    const last = digest(await readAt(this.fd, from, position - from));
    if (end?.position === position && end.digest !== last) return true;
    const settled = BigInt(Date.now()) - modified / 1_000_000n > TIME_GRAIN_MS;
    this.end = { position, modified, digest: last, settled };
    return false;
  }

  private async beginAgain(size: number): Promise<Followed> {
    const { log, path } = this.options;
    const data = { size, read: this.offset };
    const text = `${path} was truncated or written anew; reading it again from the start`;
    if (this.told) log.info(text, data);
    else log.warn(text, data);
    this.told = true;
    this.startWith(await identityOf(this.fd), size);
    return "truncated";
  }

  /** Looks for the new file whether or not anybody waits: by the next look at the end the name may have moved on twice. */
  private nameLost(): void {
    this.cancelSearch?.();
    this.cancelSearch = undefined;
    const search = async (): Promise<void> => {
      if ((await this.noticeName()) || this.closed) return;
      this.cancelSearch = this.options.clock.timer(POLL_MS, () => this.nameLost());
    };
    this.exclusively(search).catch(() => {});
  }

  /** Keeps the file open that has the name now, if it is another one. False when none has it at the moment. */
  private async noticeName(): Promise<boolean> {
    const { path } = this.options;
    // Once more after each: the name may have moved on before the new file was listened to.
    while (!this.closed && !this.stay && this.successors.length < SUCCESSORS_MAX) {
      const last = this.successors.at(-1)?.stats ?? (await fstat(this.fd));
      const named = await statIfThere(path);
      if (named === undefined) return false;
      if (sameInode(named, last) || !named.isFile()) return true;
      const fd = await open(path, "r").catch(() => undefined);
      // Between two renames, or not readable yet: the next look decides.
      if (fd === undefined) return false;
      this.successors.push({ fd, stats: await fstat(fd) });
      if (!this.options.draining) this.growth.listen();
    }
    return true;
  }

  private async takeNewFile(before: BigIntStats): Promise<Followed> {
    const { fd, stats } = this.successors.shift()!;
    const { log, path } = this.options;
    const old = this.fd;
    this.fd = fd;
    this.startWith(await identityOf(fd), 0);
    this.replacedSince = undefined;
    await close(old);
    await warnOfSkipped(path, before, stats, log);
    log.info(`${path} was replaced; reading the new file from the start`);
    return "replaced";
  }

  private startWith(identity: FileIdentity, size: number): void {
    this.generation = { identity, shift: 0 };
    this.offset = 0;
    this.size = size;
    this.end = undefined;
    this.sizeless = false;
  }

  /** A file is known the better the longer its head is. Only after what is known of it was compared. */
  private async learnHead(): Promise<void> {
    if (this.generation.identity.head.length < HEAD_BYTES) this.generation.identity = await identityOf(this.fd);
  }

  private exclusively<T>(work: () => Promise<T>): Promise<T> {
    const run = this.busy.then(work, work);
    this.busy = run.catch(() => {});
    return run;
  }
}
