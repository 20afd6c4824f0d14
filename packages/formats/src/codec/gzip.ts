import { availableParallelism } from "node:os";
import type { TransformOptions } from "node:stream";
import { crc32, createGunzip, type Gunzip, gzip, inflateRawSync, type ZlibOptions } from "node:zlib";
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

/**
 * Reads members through one zlib stream, whose read buffer bounds what a bomb can unfold to at a time. zlib ends at zero
 * bytes behind a member; what follows them is read with another stream.
 */
export class GzipDecompressor implements Decompressor {
  private readonly source: string;
  private stream!: Gunzip;
  /** Offset at which the present stream began. */
  private base = 0;
  private pushed = 0;
  private isGzip = false;
  private writing = false;
  private failure: unknown;
  private wake: (() => void) | undefined;
  /** The present stream has met its end: zero bytes, or that of the input. */
  private ended = false;
  /** What the present stream was given last; what it left of that follows its end. */
  private last: Buffer = NOTHING;
  /** Decoded bytes that zlib has thrown away because of damage behind them. */
  private salvaged: Buffer[] = [];

  constructor(source: string) {
    this.source = source;
    this.begin();
  }

  push(bytes: Buffer): void {
    if (this.pushed === 0) this.isGzip = bytes[0] === 0x1f && (bytes.length === 1 || bytes[1] === 0x8b);
    this.pushed += bytes.length;
    if (this.ended) this.goOn(bytes);
    else this.write(bytes);
  }

  async pull(): Promise<Buffer | undefined> {
    for (;;) {
      const piece = (this.stream.read() as Buffer | null) ?? this.salvaged.shift();
      if (piece) return piece;
      if (this.failure) throw this.failure;
      if (this.ended && this.last.length > 0) {
        const rest = this.last.subarray(this.last.length - (this.pushed - this.base - this.stream.bytesWritten));
        this.last = NOTHING;
        this.goOn(rest);
      } else if (!this.writing) return undefined;
      else
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
    }
  }

  finish(): void {
    if (this.ended || this.pushed === this.base) return;
    this.writing = true;
    this.stream.end();
  }

  close(): void {
    this.stream.destroy();
  }

  private begin(): void {
    // Types leave out that a zlib stream takes stream options too.
    const options: ZlibOptions & TransformOptions = { chunkSize: PIECE, highWaterMark: PIECE };
    const stream = createGunzip(options);
    this.stream = stream;
    this.ended = false;
    const signal = (): void => this.signal();
    stream.on("readable", signal);
    stream.on("end", () => {
      // One that was left behind has nothing to say.
      if (stream !== this.stream) return;
      this.ended = true;
      this.writing = false;
      signal();
    });
    stream.on("error", (error) => {
      if (stream !== this.stream) return;
      this.failed(error);
      signal();
    });
  }

  private write(bytes: Buffer): void {
    this.last = bytes;
    this.writing = true;
    const { stream } = this;
    stream.write(bytes, () => {
      if (stream !== this.stream) return;
      this.writing = false;
      // Told by its `end` only once somebody has read that far: what comes next would be written to it.
      if (stream.bytesWritten < this.pushed - this.base) this.ended = true;
      this.signal();
    });
  }

  /** Input behind the end of a stream: padding, another member, or something that would be lost in silence. */
  private goOn(bytes: Buffer): void {
    const at = bytes.findIndex((byte) => byte !== 0);
    if (at < 0) return;
    const offset = this.pushed - bytes.length + at;
    if (bytes[at] !== 0x1f) {
      this.failure = this.somethingElse(offset);
      return;
    }
    this.stream.destroy();
    this.base = offset;
    this.begin();
    this.write(bytes.subarray(at));
  }

  private failed(error: NodeJS.ErrnoException): void {
    this.writing = false;
    if (error.code === "Z_BUF_ERROR") {
      this.failure = formatErrors.TRUNCATED({
        source: this.source,
        offset: this.pushed,
        codec: "gzip",
        missing: "a member",
      });
    } else if (!this.isGzip)
      this.failure = formatErrors.WRONG_CODEC({ source: this.source, codec: "gzip" }, { cause: error });
    else {
      const given = this.pushed - this.base;
      // Where the stream has begun with these bytes, its whole members can be told apart and are not lost.
      const whole = given === this.last.length ? wholeMembers(this.last) : undefined;
      if (whole) this.salvaged = whole.decoded;
      const offset = this.pushed - this.last.length + (whole?.end ?? 0);
      const isOther = whole && whole.end > 0 && this.last[whole.end] !== 0x1f;
      this.failure = isOther
        ? this.somethingElse(offset)
        : formatErrors.CORRUPT({ source: this.source, offset, codec: "gzip", reason: error.message }, { cause: error });
    }
  }

  private somethingElse(offset: number): Error {
    const reason = "something else follows the last member";
    return formatErrors.CORRUPT({ source: this.source, offset, codec: "gzip", reason });
  }

  private signal(): void {
    const wake = this.wake;
    this.wake = undefined;
    wake?.();
  }
}

const NOTHING = Buffer.alloc(0);
const SALVAGE_MAX = 64 * 1024 * 1024;

/** The members at the start of `bytes` that are whole and sound, and where the last of them ends. */
function wholeMembers(bytes: Buffer): { readonly decoded: Buffer[]; readonly end: number } {
  const decoded: Buffer[] = [];
  let end = 0;
  for (let room = SALVAGE_MAX; room > 0; ) {
    try {
      const options = { info: true, maxOutputLength: room } as const;
      const start = end + headerLength(bytes.subarray(end));
      const { buffer, engine } = inflateRawSync(bytes.subarray(start), options) as unknown as Inflated;
      const tail = start + engine.bytesWritten;
      if (crc32(buffer) !== bytes.readUInt32LE(tail) || buffer.length !== bytes.readUInt32LE(tail + 4)) break;
      decoded.push(buffer);
      room -= buffer.length;
      end = tail + 8;
    } catch {
      break;
    }
  }
  return { decoded, end };
}

interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Throws a RangeError where the header does not end within the bytes. */
function headerLength(bytes: Buffer): number {
  if (bytes.readUInt16LE(0) !== 0x8b1f) throw new RangeError("no member begins here");
  const flags = bytes.readUInt8(3);
  let at = 10;
  if (flags & 4) at += 2 + bytes.readUInt16LE(at);
  for (const text of [8, 16]) {
    if (!(flags & text)) continue;
    const zero = bytes.indexOf(0, at);
    if (zero < 0) throw new RangeError("the header does not end");
    at = zero + 1;
  }
  return flags & 2 ? at + 2 : at;
}
