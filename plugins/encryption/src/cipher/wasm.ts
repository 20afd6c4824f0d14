import { AEAD } from "../generated/aead.gen.ts";
import { MEMORY_BYTES } from "./layout.ts";

/** The loops of assembly/index.ts. Addresses and counts go in; ends come out. */
export interface Loops {
  seal(count: number, slots: number, out: number, headerSize: number, binds: number): number;
  open(count: number, slots: number, out: number, binds: number): number;
  /** To be called when another key was written. */
  rekey(): void;
  /** The same for the key of GHASH. */
  hashKey(): void;
  counters(count: number, slots: number, to: number, opening: number): number;
  sealGcm(count: number, slots: number, out: number, headerSize: number, binds: number, streams: number): number;
  openGcm(count: number, slots: number, out: number, binds: number, streams: number): number;
}

/** The little of WebAssembly that is used: the compiler's Node types do not declare it. */
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { env: { memory: object } }) => { readonly exports: unknown };
};

const PAGE = 65_536;

/** A new memory with the loops that run over it; undefined where there is no WebAssembly with SIMD (`--jitless`). */
export function instantiate(): { readonly memory: ArrayBuffer; readonly loops: Loops } | undefined {
  try {
    const pages = Math.ceil(MEMORY_BYTES / PAGE);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const module = new WebAssembly.Module(Buffer.from(AEAD, "base64"));
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    return { memory: memory.buffer, loops: exports as Loops };
  } catch {
    return undefined;
  }
}
