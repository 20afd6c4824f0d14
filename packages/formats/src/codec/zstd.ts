import type { Decompress } from "fzstd";
import { formatErrors } from "../errors.ts";
import { type Compressor, type Decompressor, memberPieces, type SyncDecompressor } from "./codec.ts";
import { InputQueue } from "./input-queue.ts";
import { Xxh64 } from "./xxh64.ts";
import { readZstdBlock, readZstdHeader, ZSTD_HEADER_MAX, ZSTD_MAGIC, type ZstdHeader } from "./zstd-frame.ts";

type Wasm = typeof import("@foxglove/wasm-zstd");

const LEVEL = 3;
/** Frames that need more memory than this in one go are decoded as a stream. */
const WHOLE_MAX = 2 * 1024 * 1024;
/** As the zstd tool: a larger window needs `--long` there too. */
export const ZSTD_WINDOW_MAX = 128 * 1024 * 1024;
const PIECE = 256 * 1024;

export async function loadZstdCompressor(): Promise<Compressor> {
  const wasm = await loadWasm();
  return {
    compress: async (bytes) => memberPieces(bytes).map((piece) => wasm.compress(piece, LEVEL)),
  };
}

export async function loadZstdDecompressor(source: string): Promise<Decompressor> {
  return new ZstdDecompressor(source, await loadWasm(), await loadZstdStreams());
}

/** Loaded only where something is decompressed: its tables take longer to make than a small file to copy. */
export async function loadZstdStreams(): Promise<ZstdStreams> {
  const streams = await import("fzstd");
  return (give) => new streams.Decompress(give);
}

async function loadWasm(): Promise<Wasm> {
  try {
    const wasm = (await import("@foxglove/wasm-zstd")).default as unknown as Wasm;
    await wasm.isLoaded;
    return wasm;
  } catch (cause) {
    throw formatErrors.NO_CODEC({ codec: "zstd", package: "@foxglove/wasm-zstd" }, { cause });
  }
}

/** Decodes one whole frame of which the size is known. */
type FrameDecoder = Pick<Wasm, "decompress">;

/** Begins to decode a frame as a stream, which gives pieces of the content. */
export type ZstdStreams = (give: (piece: Uint8Array) => void) => Decompress;

interface Frame {
  readonly header: ZstdHeader;
  /** Bytes walked over from the frame's start: header and whole blocks. */
  walked: number;
  /** What the walked blocks unfold to at most. */
  unfolds: number;
  /** The last block has been walked over. */
  complete: boolean;
  stream: Decompress | undefined;
  /** Over what the stream gives; a frame that is decoded whole is checked by the module. */
  checksum: Xxh64 | undefined;
}

/**
 * Walks zstd frames block by block. A frame of ordinary size is decoded whole by the WebAssembly module; one that is
 * larger is decoded as a stream, so that memory stays bounded by the window.
 */
export class ZstdDecompressor implements SyncDecompressor {
  private readonly source: string;
  private readonly wasm: FrameDecoder;
  private readonly streams: ZstdStreams;
  private readonly windowMax: number;
  private readonly input = new InputQueue();
  private frame: Frame | undefined;
  private skip = 0;
  private pieces: Buffer[] = [];
  private length = 0;
  /** Damage behind what is handed out first. */
  private failure: unknown;

  constructor(source: string, wasm: FrameDecoder, streams: ZstdStreams, windowMax = ZSTD_WINDOW_MAX) {
    this.source = source;
    this.wasm = wasm;
    this.streams = streams;
    this.windowMax = windowMax;
  }

  push(bytes: Buffer): void {
    this.input.push(bytes);
  }

  async pull(): Promise<Buffer | undefined> {
    return this.next();
  }

  next(): Buffer | undefined {
    this.pieces = [];
    this.length = 0;
    try {
      while (!this.failure && this.length < PIECE && (this.frame ? this.step(this.frame) : this.header()));
    } catch (error) {
      this.failure = error;
    }
    if (this.length === 0) {
      if (this.failure) throw this.failure;
      return undefined;
    }
    return this.pieces.length === 1 ? this.pieces[0] : Buffer.concat(this.pieces, this.length);
  }

  finish(): void {
    if (!this.frame && this.skip === 0 && this.input.length === 0) return;
    const offset = this.input.offset + this.input.length;
    throw formatErrors.TRUNCATED({ source: this.source, offset, codec: "zstd", missing: "a frame" });
  }

  close(): void {
    this.pieces = [];
  }

  /** Reads a frame header. False when more input is needed. */
  private header(): boolean {
    if (this.skip > 0) {
      this.skip -= this.input.drop(this.skip);
      return this.skip === 0;
    }
    this.input.dropZeros();
    const magic = this.input.peek(4)?.readUInt32LE(0);
    if (magic === undefined) return false;
    if ((magic & 0xfffffff0) >>> 0 === 0x184d2a50) {
      const size = this.input.peek(8)?.readUInt32LE(4);
      if (size === undefined) return false;
      this.input.drop(8);
      this.skip = size;
      return true;
    }
    if (magic !== ZSTD_MAGIC) {
      if (this.input.offset === 0) throw formatErrors.WRONG_CODEC({ source: this.source, codec: "zstd" });
      throw this.corrupt("something else follows the last frame");
    }
    const header = readZstdHeader(this.input.peek(Math.min(this.input.length, ZSTD_HEADER_MAX))!);
    if (header === undefined) return false;
    if (header.dictionary) throw this.corrupt("it needs a dictionary");
    if (header.windowSize > this.windowMax && (header.contentSize ?? Number.MAX_VALUE) > WHOLE_MAX) {
      throw formatErrors.WINDOW_TOO_LARGE({
        source: this.source,
        offset: this.input.offset,
        bytes: header.windowSize,
        limit: this.windowMax,
      });
    }
    this.frame = { header, walked: header.size, unfolds: 0, complete: false, stream: undefined, checksum: undefined };
    return true;
  }

  /** Goes on by one block or by the end of the frame. False when more input is needed. */
  private step(frame: Frame): boolean {
    if (frame.complete) return this.endOfFrame(frame);
    const head = this.input.copyAt(frame.stream ? 0 : frame.walked, 3);
    if (head === undefined) return false;
    const block = readZstdBlock(head);
    if (!block.valid) throw this.corrupt("a block has an impossible header");
    if (frame.stream) {
      const whole = this.input.peek(block.size);
      if (whole === undefined) return false;
      this.feed(frame.stream, whole, block.last && !frame.header.hasChecksum);
      this.input.drop(block.size);
    } else {
      if (this.input.length < frame.walked + block.size) return false;
      frame.walked += block.size;
      frame.unfolds += block.unfolds;
      if (frame.walked > WHOLE_MAX || frame.unfolds > WHOLE_MAX) {
        const known = frame.header.contentSize;
        if (frame.walked > WHOLE_MAX || known === undefined || known > WHOLE_MAX) this.beginStream(frame, block.last);
      }
    }
    frame.complete = block.last;
    return true;
  }

  private endOfFrame(frame: Frame): boolean {
    const { header, stream } = frame;
    const tail = header.hasChecksum ? 4 : 0;
    if (stream) {
      if (this.input.length < tail) return false;
      if (tail > 0) {
        const stored = this.input.peek(tail)!;
        this.feed(stream, stored, true);
        if (Number(frame.checksum!.digest() & 0xffffffffn) !== stored.readUInt32LE(0))
          throw this.corrupt("the content's checksum does not fit");
      }
      this.input.drop(tail);
    } else {
      const whole = this.input.peek(frame.walked + tail);
      if (whole === undefined) return false;
      this.keep(this.decodeWhole(whole, header.contentSize ?? frame.unfolds));
      this.input.drop(whole.length);
    }
    this.frame = undefined;
    return true;
  }

  private decodeWhole(frame: Buffer, size: number): Buffer {
    if (size === 0) return Buffer.alloc(0);
    try {
      return this.wasm.decompress(frame, size);
    } catch (cause) {
      throw this.corrupt("a frame cannot be decoded, or its checksum does not fit", cause);
    }
  }

  /** Turns to decoding as a stream, with the blocks that were walked over so far. */
  private beginStream(frame: Frame, last: boolean): void {
    if (frame.header.hasChecksum) frame.checksum = new Xxh64();
    frame.stream = this.streams((piece) => {
      const bytes = asBuffer(piece);
      frame.checksum?.update(bytes);
      this.keep(bytes);
    });
    const whole = this.input.peek(frame.walked)!;
    this.feed(frame.stream, whole, last && !frame.header.hasChecksum);
    this.input.drop(frame.walked);
  }

  private feed(stream: Decompress, bytes: Buffer, final: boolean): void {
    try {
      stream.push(bytes, final);
    } catch (cause) {
      throw this.corrupt("a block cannot be decoded", cause);
    }
  }

  private keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.pieces.push(piece);
    this.length += piece.length;
  }

  private corrupt(reason: string, cause?: unknown): Error {
    return formatErrors.CORRUPT({ source: this.source, offset: this.input.offset, codec: "zstd", reason }, { cause });
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
