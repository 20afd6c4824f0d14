import { Layout } from "./layout.ts";
import { createJsLoops } from "./loops/index.ts";
import { createSimdLoops } from "./simd.ts";

/**
 * The byte loops over one memory. Addresses and counts go in, a count comes out, everything else is left in the
 * memory's result words (`RES` in layout.ts). Each loop is described at its JavaScript twin in `loops/`.
 */
export interface Loops {
  /** Converts records to JSON lines; see loops/csv.ts. Returns the number of records. */
  csv(inp: number, inEnd: number, out: number, outLimit: number, slot: number, max: number, final: number): number;
  /** Finds records in bytes; see loops/split.ts. Returns the number of records. */
  split(inp: number, inEnd: number, slot: number, max: number): number;
  /** Escapes (`mode` 0), unescapes (1), copies (2) or writes as base64 (3) ranges of text; see loops/text.ts. Returns the number of ranges done. */
  text(mode: number, count: number, slots: number, out: number, outLimit: number): number;
  /** Writes JSON objects as CSV rows; see loops/rows.ts. Returns the number of objects looked at. */
  rows(count: number, slots: number, out: number, outLimit: number): number;
  /** Puts pieces of a source and of a text together; see pieces.ts. Returns the address behind the last one. WebAssembly only. */
  pieces?(count: number, list: number, source: number, text: number, out: number): number;
  /** Finds several fields in each of many documents; see field-rows.ts. Returns how many are no objects. WebAssembly only. */
  fields?(
    count: number,
    slots: number,
    table: number,
    width: number,
    numbers: number,
    numberCount: number,
    out: number,
    back: number,
    scratch: number,
  ): number;
}

/** Those that are never used cost address space only. */
const CHUNKS = 8;

/** A memory with the loops that run over it. What lies in it belongs to `owner`; anyone else must load it anew. */
export interface Arena {
  readonly simd: boolean;
  readonly memory: Buffer;
  readonly words: Uint32Array;
  readonly layout: Layout;
  readonly loops: Loops;
  owner: object | undefined;
  /** Addresses of its chunk buffers that nobody has. */
  readonly freeChunks: number[];
  /** Those that somebody has, by their addresses. */
  readonly lentChunks: Map<number, Buffer>;
}

/** An arena on the JavaScript heap, for what does not fit the shared one. Garbage when the caller drops it. */
export function privateArena(layout: Layout): Arena {
  const buffer = new ArrayBuffer(layout.size);
  return arenaOver(buffer, layout, false, createJsLoops);
}

/**
 * The one allowed module-level state: every WebAssembly.Memory reserves 10 GiB of address space and every instance costs a
 * compilation, so there is one per thread for all readers. Nothing depends on what it holds: each user claims the arena
 * (`owner`) and loads it anew after somebody else did. It is never grown, since growing detaches every view.
 */
let simdArena: Arena | undefined;
let jsArena: Arena | undefined;
let simdRefused = false;

export function sharedArena(engine: "auto" | "simd" | "js"): Arena {
  if (engine !== "js" && simdArena === undefined && !simdRefused) {
    const layout = new Layout({ chunks: CHUNKS });
    const made = createSimdLoops(layout);
    if (made === undefined) simdRefused = true;
    else simdArena = arenaOver(made.buffer, layout, true, () => made.loops);
  }
  if (engine !== "js" && simdArena !== undefined) return simdArena;
  jsArena ??= privateArena(new Layout());
  return jsArena;
}

/** An arena over a memory that exists. */
export function arenaOver(
  buffer: ArrayBuffer,
  layout: Layout,
  simd: boolean,
  loops: (memory: Buffer, words: Uint32Array) => Loops,
): Arena {
  const memory = Buffer.from(buffer);
  const words = new Uint32Array(buffer);
  const freeChunks = [...layout.chunks];
  return {
    simd,
    memory,
    words,
    layout,
    loops: loops(memory, words),
    owner: undefined,
    freeChunks,
    lentChunks: new Map(),
  };
}
