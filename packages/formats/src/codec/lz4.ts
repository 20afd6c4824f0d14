import { formatErrors } from "../errors.ts";
import { type Compressor, memberPieces, type SyncDecompressor } from "./codec.ts";
import { InputQueue } from "./input-queue.ts";
import { decodeLz4Block } from "./lz4-block.ts";
import { Xxh32, xxh32 } from "./xxh32.ts";

type Lz4 = typeof import("lz4-napi");

/** The native lz4; its frames have independent blocks and no checksums, as the original writes them. */
export async function loadLz4(): Promise<Lz4> {
  try {
    return (await import("lz4-napi")).default as never;
  } catch (cause) {
    throw formatErrors.NO_CODEC({ codec: "lz4", package: "lz4-napi" }, { cause });
  }
}

export async function loadLz4Compressor(): Promise<Compressor> {
  const native = await loadLz4();
  const compress = async (piece: Buffer): Promise<Buffer> =>
    piece.length < SMALL ? native.compressFrameSync(piece) : native.compressFrame(piece);
  return { compress: (bytes) => Promise.all(memberPieces(bytes).map(compress)) };
}

const FRAME = 0x184d2204;
/** Below this, handing over to another thread costs more than it saves. */
const SMALL = 16 * 1024;
const HISTORY = 64 * 1024;
const PIECE = 256 * 1024;

interface Frame {
  readonly independent: boolean;
  readonly blockChecksums: boolean;
  readonly blockMax: number;
  readonly checksum: Xxh32 | undefined;
}

/** Walks lz4 frames block by block, so that memory stays below two blocks of at most 4 MiB. */
export class Lz4Decompressor implements SyncDecompressor {
  private readonly source: string;
  private readonly input = new InputQueue();
  private frame: Frame | undefined;
  /** Bytes of a skippable frame that are still to be passed over. */
  private skip = 0;
  private history: Buffer = Buffer.alloc(0);
  /** Damage behind what is handed out first. */
  private failure: unknown;

  constructor(source: string) {
    this.source = source;
  }

  push(bytes: Buffer): void {
    this.input.push(bytes);
  }

  async pull(): Promise<Buffer | undefined> {
    return this.next();
  }

  next(): Buffer | undefined {
    const pieces: Buffer[] = [];
    let length = 0;
    while (!this.failure && length < PIECE) {
      const piece = this.step();
      if (piece === undefined) break;
      if (piece.length === 0) continue;
      pieces.push(piece);
      length += piece.length;
    }
    if (length === 0) {
      if (this.failure) throw this.failure;
      return undefined;
    }
    return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, length);
  }

  finish(): void {
    const missing = this.frame || this.skip > 0 || this.input.length > 0;
    if (missing) throw formatErrors.TRUNCATED({ ...this.end(), codec: "lz4", missing: "a frame" });
  }

  close(): void {}

  /** The next piece; undefined when more input is needed, or at damage. */
  private step(): Buffer | undefined {
    try {
      return this.frame ? this.block(this.frame) : this.header();
    } catch (error) {
      this.failure = error;
      return undefined;
    }
  }

  /** Reads a frame header: an empty piece when it did, undefined when more input is needed. */
  private header(): Buffer | undefined {
    if (this.skip > 0) {
      this.skip -= this.input.drop(this.skip);
      return this.skip > 0 ? undefined : NOTHING;
    }
    this.input.dropZeros();
    const head = this.input.peek(4);
    if (head === undefined) return undefined;
    const magic = head.readUInt32LE(0);
    if ((magic & 0xfffffff0) >>> 0 === 0x184d2a50) {
      const size = this.input.peek(8);
      if (size === undefined) return undefined;
      this.skip = size.readUInt32LE(4);
      this.input.drop(8);
      return NOTHING;
    }
    if (magic !== FRAME) {
      if (this.input.offset === 0) throw formatErrors.WRONG_CODEC({ source: this.source, codec: "lz4" });
      throw this.corrupt("something else follows the last frame");
    }
    const flags = this.input.peek(7);
    if (flags === undefined) return undefined;
    const flg = flags[4]!;
    const size = 7 + (flg & 8 ? 8 : 0) + (flg & 1 ? 4 : 0);
    const whole = this.input.peek(size);
    if (whole === undefined) return undefined;
    const blockSize = (whole[5]! >> 4) & 7;
    if (flg >> 6 !== 1 || blockSize < 4) throw this.corrupt("its header is of an unknown version");
    if (((xxh32(whole.subarray(4, size - 1)) >> 8) & 0xff) !== whole[size - 1])
      throw this.corrupt("its header's checksum does not fit");
    if (flg & 1) throw this.corrupt("it needs a dictionary");
    this.frame = {
      independent: (flg & 0x20) !== 0,
      blockChecksums: (flg & 0x10) !== 0,
      blockMax: 1 << (8 + 2 * blockSize),
      checksum: flg & 4 ? new Xxh32() : undefined,
    };
    this.history = NOTHING;
    this.input.drop(size);
    return NOTHING;
  }

  private block(frame: Frame): Buffer | undefined {
    const word = this.input.peek(4)?.readUInt32LE(0);
    if (word === undefined) return undefined;
    if (word === 0) return this.endOfFrame(frame);
    const size = word & 0x7fffffff;
    if (size > frame.blockMax) throw this.corrupt(`a block of ${size} bytes in a frame of ${frame.blockMax}`);
    const whole = this.input.peek(4 + size + (frame.blockChecksums ? 4 : 0));
    if (whole === undefined) return undefined;
    const block = whole.subarray(4, 4 + size);
    if (frame.blockChecksums && xxh32(block) !== whole.readUInt32LE(4 + size))
      throw this.corrupt("a block's checksum does not fit");
    const piece = word === size ? this.decode(block, frame) : Buffer.from(block);
    frame.checksum?.update(piece);
    if (!frame.independent) this.remember(piece);
    this.input.drop(whole.length);
    return piece;
  }

  private decode(block: Buffer, frame: Frame): Buffer {
    // A byte of input unfolds to at most 255 bytes.
    const bound = Math.min(frame.blockMax, block.length * 255 + 16);
    const before = this.history.length;
    const out = Buffer.allocUnsafe(before + bound);
    this.history.copy(out);
    const end = decodeLz4Block(block, out, before);
    if (end < 0) throw this.corrupt("a block cannot be decoded");
    return out.subarray(before, end);
  }

  private remember(piece: Buffer): void {
    if (piece.length >= HISTORY) this.history = piece.subarray(piece.length - HISTORY);
    else {
      const keep = Math.min(this.history.length, HISTORY - piece.length);
      this.history = Buffer.concat([this.history.subarray(this.history.length - keep), piece]);
    }
  }

  private endOfFrame(frame: Frame): Buffer | undefined {
    const size = frame.checksum ? 8 : 4;
    const whole = this.input.peek(size);
    if (whole === undefined) return undefined;
    if (frame.checksum && frame.checksum.digest() !== whole.readUInt32LE(4))
      throw this.corrupt("the content's checksum does not fit");
    this.input.drop(size);
    this.frame = undefined;
    return NOTHING;
  }

  private corrupt(reason: string): Error {
    return formatErrors.CORRUPT({ source: this.source, offset: this.input.offset, codec: "lz4", reason });
  }

  private end(): { source: string; offset: number } {
    return { source: this.source, offset: this.input.offset + this.input.length };
  }
}

const NOTHING = Buffer.alloc(0);
