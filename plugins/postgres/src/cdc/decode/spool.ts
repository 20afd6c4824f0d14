import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BLOCK = 256 * 1024;
const HEAD = 8;
/** Blocks that may wait for the disk. */
const MOST_WAITING = 8;

/** The files of one stream. What is not read back is removed with it; a process that is killed leaves none behind. */
export class Spools {
  /** Told when a file cannot be written. */
  private readonly failed: (error: unknown) => void;
  /** Told when the disk has taken what waited. */
  private readonly drained: () => void;
  private readonly spools = new Set<Spool>();
  readonly folder: string;
  /** Bytes that were ever kept, for status pages. */
  written = 0;

  constructor(hooks: { failed(error: unknown): void; drained(): void }, folder: string = tmpdir()) {
    this.failed = (error) => hooks.failed(error);
    this.drained = () => hooks.drained();
    this.folder = folder;
  }

  open(): Spool {
    const spool = new Spool(join(this.folder, `mqb-cdc-${randomUUID()}`), {
      failed: this.failed,
      drained: this.drained,
      closed: () => this.spools.delete(spool),
      wrote: (bytes) => {
        this.written += bytes;
      },
    });
    this.spools.add(spool);
    return spool;
  }

  /** The disk is behind: nothing more should be kept for now. */
  get isBehind(): boolean {
    // Asked with each message: an iterator costs an object.
    if (this.spools.size === 0) return false;
    for (const spool of this.spools) if (spool.isBehind) return true;
    return false;
  }

  async close(): Promise<void> {
    await Promise.all([...this.spools].map((spool) => spool.discard()));
  }
}

interface Hooks {
  failed(error: unknown): void;
  drained(): void;
  closed(): void;
  wrote(bytes: number): void;
}

/** Messages of one transaction in the order in which they came, in a temporary file as soon as they are many. */
export class Spool {
  private readonly path: string;
  private readonly hooks: Hooks;
  private block: Buffer = Buffer.allocUnsafe(BLOCK);
  private used = 0;
  private waiting = 0;
  /** Blocks that the disk has taken: new ones would be garbage as fast as the server sends. */
  private readonly free: Buffer[] = [];
  private writing: Promise<void> = Promise.resolve();
  private file: FileHandle | undefined;
  private size = 0;
  private leftOut: Set<number> | undefined;
  private discarded: Promise<void> | undefined;

  constructor(path: string, hooks: Hooks) {
    this.path = path;
    this.hooks = hooks;
  }

  get isBehind(): boolean {
    return this.waiting > MOST_WAITING;
  }

  /** Keeps `bytes[at .. end)` as a message of the transaction below with this number. */
  add(xid: number, bytes: Buffer, at: number, end: number): void {
    const to = this.reserve(xid, end - at);
    bytes.copy(this.block, to, at, end);
  }

  /** The same without the four bytes behind the kind. */
  addWithout(xid: number, bytes: Buffer, at: number, end: number): void {
    const to = this.reserve(xid, end - at - 4);
    this.block[to] = bytes[at]!;
    bytes.copy(this.block, to + 1, at + 5, end);
  }

  /** A transaction below was rolled back. */
  leaveOut(xid: number): void {
    (this.leftOut ??= new Set()).add(xid);
  }

  /** Gives the messages that are left, in blocks, of which each is there until the next one. Removes the file at the end. */
  async *messages(): AsyncGenerator<KeptBlock> {
    const { leftOut } = this;
    if (this.used > 0) this.flush();
    await this.writing;
    this.free.length = 0;
    let rest: Buffer = EMPTY;
    // In turn: the rest of one is the beginning of the other.
    let [next, other] = [Buffer.allocUnsafe(2 * BLOCK), Buffer.allocUnsafe(2 * BLOCK)];
    for (let at = 0; at < this.size; ) {
      const want = Math.max(BLOCK, rest.length < HEAD ? 0 : rest.readUInt32BE(0) + HEAD - rest.length);
      const size = rest.length + Math.min(want, this.size - at);
      const bytes = size > next.length ? Buffer.allocUnsafe(size) : next.subarray(0, size);
      [next, other] = [other, next];
      rest.copy(bytes);
      const { bytesRead } = await this.file!.read(bytes, rest.length, bytes.length - rest.length, at);
      if (bytesRead === 0) throw new Error("the file has become shorter");
      at += bytesRead;
      const end = rest.length + bytesRead;
      let from = 0;
      const block: number[] = [];
      while (end - from >= HEAD) {
        const size = bytes.readUInt32BE(from);
        if (end - from < HEAD + size) break;
        if (!leftOut?.has(bytes.readUInt32BE(from + 4))) block.push(from + HEAD, from + HEAD + size);
        from += HEAD + size;
      }
      rest = bytes.subarray(from, end);
      if (block.length > 0) yield { bytes, ranges: block };
    }
    await this.discard();
  }

  /** Idempotent. */
  discard(): Promise<void> {
    return (this.discarded ??= this.remove());
  }

  private async remove(): Promise<void> {
    await this.writing;
    await this.file?.close();
    if (this.file) await unlink(this.path).catch(() => {});
    this.hooks.closed();
  }

  private reserve(xid: number, size: number): number {
    if (this.used + HEAD + size > this.block.length) {
      if (this.used > 0) this.flush();
      this.block =
        HEAD + size > BLOCK ? Buffer.allocUnsafe(HEAD + size) : (this.free.pop() ?? Buffer.allocUnsafe(BLOCK));
    }
    const { block, used } = this;
    block.writeUInt32BE(size, used);
    block.writeUInt32BE(xid, used + 4);
    this.used += HEAD + size;
    return used + HEAD;
  }

  private flush(): void {
    const { block } = this;
    const part = block.subarray(0, this.used);
    const at = this.size;
    this.size += part.length;
    this.used = 0;
    this.block = EMPTY;
    this.waiting++;
    this.writing = this.writing
      .then(() => this.write(part, at))
      .then(() => {
        if (block.length === BLOCK && this.free.length < MOST_WAITING) this.free.push(block);
      })
      .catch((error: unknown) => this.hooks.failed(error));
  }

  private async write(part: Buffer, at: number): Promise<void> {
    if (this.discarded) return;
    this.file ??= await make(this.path);
    for (let done = 0; done < part.length; ) {
      const { bytesWritten } = await this.file.write(part, done, part.length - done, at + done);
      done += bytesWritten;
    }
    this.hooks.wrote(part.length);
    this.waiting--;
    if (this.waiting === MOST_WAITING) this.hooks.drained();
  }
}

export interface KeptBlock {
  readonly bytes: Buffer;
  /** From and to of each message. */
  readonly ranges: readonly number[];
}

const EMPTY = Buffer.alloc(0);

/** Only this process has it: its name is gone as soon as it is open, where the system can do that. */
async function make(path: string): Promise<FileHandle> {
  const file = await open(path, "wx+", 0o600);
  await unlink(path).catch(() => {});
  return file;
}
