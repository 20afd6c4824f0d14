import type factory from "@foxglove/wasm-zstd/dist/wasm-zstd.js";
import { formatErrors } from "../errors.ts";
import type { GrowingBuffer } from "./growing-buffer.ts";

type Wasm = Awaited<ReturnType<typeof factory>>;

const LEVEL = 3;
const LEAST_AREA = 64 * 1024;

/**
 * zstd in a WebAssembly instance of its own, with one area for what goes in and one for what comes out. They are kept
 * between calls: the package's own functions allocate both for each call, which takes longer than a short payload.
 * The memory of an instance only ever grows.
 */
export class ZstdModule {
  private readonly wasm: Wasm;
  private memory: Buffer;
  private readonly from = { at: 0, size: 0 };
  private readonly to = { at: 0, size: 0 };

  private constructor(wasm: Wasm) {
    this.wasm = wasm;
    this.memory = Buffer.from(wasm.HEAPU8.buffer);
  }

  /** Rejects with a `config` error when the package cannot be loaded. */
  static async load(): Promise<ZstdModule> {
    try {
      const make = (await import("@foxglove/wasm-zstd/dist/wasm-zstd.js")).default;
      return new ZstdModule(await make());
    } catch (cause) {
      throw formatErrors.NO_CODEC({ codec: "zstd", package: "@foxglove/wasm-zstd" }, { cause });
    }
  }

  /** Appends `bytes[start..end)` as one frame that says its size. */
  compress(bytes: Uint8Array, start: number, end: number, out: GrowingBuffer): void {
    const length = end - start;
    const bound = this.wasm._compressBound(length);
    this.put(bytes, start, end, bound);
    const size = this.wasm._compress(this.to.at, this.to.size, this.from.at, length, LEVEL);
    if (size < 0) throw new Error(`zstd cannot compress ${length} bytes`);
    this.get(size, out);
  }

  /** Appends the content of the frames in `bytes[start..end)`, `size` bytes at most. False when they cannot be decoded to that. */
  decompress(bytes: Uint8Array, start: number, end: number, size: number, out: GrowingBuffer): boolean {
    this.put(bytes, start, end, size);
    const found = this.wasm._decompress(this.to.at, size, this.from.at, end - start);
    if (found < 0) return false;
    this.get(found, out);
    return true;
  }

  private put(bytes: Uint8Array, start: number, end: number, room: number): void {
    this.grow(this.from, end - start);
    this.grow(this.to, room);
    this.current().set(bytes.subarray(start, end), this.from.at);
  }

  private get(size: number, out: GrowingBuffer): void {
    out.reserve(size);
    this.current().copy(out.bytes, out.length, this.to.at, this.to.at + size);
    out.length += size;
  }

  private grow(area: { at: number; size: number }, size: number): void {
    if (area.size >= size && area.at > 0) return;
    if (area.at > 0) this.wasm._free(area.at);
    area.size = Math.max(LEAST_AREA, 2 ** Math.ceil(Math.log2(size)));
    area.at = this.wasm._malloc(area.size);
    if (area.at === 0) throw new RangeError(`zstd has no memory for ${size} bytes`);
  }

  /** The memory, which is another one after it has grown. */
  private current(): Buffer {
    const { buffer } = this.wasm.HEAPU8;
    if (this.memory.buffer !== buffer) this.memory = Buffer.from(buffer);
    return this.memory;
  }
}
