/** The module inside of @foxglove/wasm-zstd: an instance with a memory of its own for each call of the factory. */
declare module "@foxglove/wasm-zstd/dist/wasm-zstd.js" {
  interface WasmZstd {
    /** Replaced whenever the memory has grown. */
    readonly HEAPU8: Uint8Array;
    /** 0 when there is no memory left. */
    _malloc(size: number): number;
    _free(pointer: number): void;
    _compressBound(size: number): number;
    /** The size of the frame, or -1. */
    _compress(to: number, toSize: number, from: number, fromSize: number, level: number): number;
    /** The size of the content, or -1. */
    _decompress(to: number, toSize: number, from: number, fromSize: number): number;
  }
  const factory: () => Promise<WasmZstd>;
  export default factory;
}
