import { availableParallelism } from "node:os";
import type { TransformOptions } from "node:stream";
import { createGunzip, type Gunzip, gzip, type ZlibOptions } from "node:zlib";
import { formatErrors } from "../errors.ts";
import type { Compressor, Decompressor } from "./codec.ts";

const MEMBER_MIN = 64 * 1024;
const PIECE = 256 * 1024;

/** gzip in libuv's thread pool. A large batch becomes several members, so that every core takes part. */
export class GzipCompressor implements Compressor {
  private readonly parallel = Math.min(4, availableParallelism());

  async compress(bytes: Uint8Array): Promise<readonly Uint8Array[]> {
    const count = Math.max(1, Math.min(this.parallel, Math.floor(bytes.length / MEMBER_MIN)));
    const size = Math.ceil(bytes.length / count);
    const members: Promise<Buffer>[] = [];
    for (let i = 0; i < count; i++)
      members.push(gzipMember(bytes.subarray(i * size, Math.min(bytes.length, (i + 1) * size))));
    return Promise.all(members);
  }
}

function gzipMember(bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gzip(bytes, { chunkSize: MEMBER_MIN }, (error, member) => (error ? reject(error) : resolve(member)));
  });
}

/** Reads members through one zlib stream, whose read buffer bounds what a bomb can unfold to at a time. */
export class GzipDecompressor implements Decompressor {
  private readonly source: string;
  private readonly stream: Gunzip;
  private pushed = 0;
  private isGzip = false;
  private writing = false;
  private failure: NodeJS.ErrnoException | undefined;
  private wake: (() => void) | undefined;
  /** Offset behind the last member, once zlib has refused to go on. */
  private ended: number | undefined;
  /** Bytes behind the last member. */
  private rest: Buffer | undefined;
  private last: Buffer | undefined;

  constructor(source: string) {
    this.source = source;
    // Types leave out that a zlib stream takes stream options too.
    const options: ZlibOptions & TransformOptions = { chunkSize: PIECE, highWaterMark: PIECE };
    this.stream = createGunzip(options);
    const signal = (): void => this.signal();
    this.stream.on("readable", signal);
    this.stream.on("end", () => {
      this.ended = this.stream.bytesWritten;
      this.writing = false;
      signal();
    });
    this.stream.on("error", (error) => {
      this.failure = error;
      signal();
    });
  }

  push(bytes: Buffer): void {
    const start = this.pushed;
    if (start === 0) this.isGzip = bytes[0] === 0x1f && (bytes.length === 1 || bytes[1] === 0x8b);
    this.pushed += bytes.length;
    if (this.ended !== undefined) {
      this.rest = bytes.subarray(Math.max(0, this.ended - start));
      return;
    }
    this.last = bytes;
    this.writing = true;
    this.stream.write(bytes, () => {
      this.writing = false;
      this.signal();
    });
  }

  async pull(): Promise<Buffer | undefined> {
    for (;;) {
      const piece = this.stream.read() as Buffer | null;
      if (piece !== null) return piece;
      if (this.failure) throw this.corrupt(this.failure);
      if (this.ended !== undefined) {
        this.checkRest();
        return undefined;
      }
      if (!this.writing) return undefined;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  finish(): void {
    if (this.pushed === 0 || this.ended !== undefined) return;
    this.writing = true;
    this.stream.end();
  }

  close(): void {
    this.stream.destroy();
  }

  /** Zero bytes behind the last member are padding; anything else would be lost in silence. */
  private checkRest(): void {
    const rest = this.rest ?? this.last?.subarray(this.last.length - (this.pushed - this.ended!));
    this.rest = undefined;
    this.last = undefined;
    const garbage = rest?.findIndex((byte) => byte !== 0) ?? -1;
    if (garbage < 0) return;
    const offset = this.pushed - rest!.length + garbage;
    throw formatErrors.CORRUPT({
      source: this.source,
      offset,
      codec: "gzip",
      reason: "something else follows the last member",
    });
  }

  private corrupt(error: NodeJS.ErrnoException): Error {
    const offset = this.stream.bytesWritten;
    if (error.code === "Z_BUF_ERROR") {
      return formatErrors.TRUNCATED({ source: this.source, offset: this.pushed, codec: "gzip", missing: "a member" });
    }
    if (!this.isGzip) {
      return formatErrors.WRONG_CODEC({ source: this.source, codec: "gzip" }, { cause: error });
    }
    return formatErrors.CORRUPT(
      { source: this.source, offset, codec: "gzip", reason: error.message },
      { cause: error },
    );
  }

  private signal(): void {
    const wake = this.wake;
    this.wake = undefined;
    wake?.();
  }
}
