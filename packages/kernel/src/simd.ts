import type { Loops } from "./arena.ts";
import { KERNEL } from "./generated/kernel.gen.ts";
import { ESCAPE_TABLE, ESCAPE_TABLE_SIZE, type Layout, POWER_COUNT, POWERS } from "./layout.ts";

/** The little of WebAssembly that is used: the compiler's Node types do not declare it. */
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: { env: { memory: object } }) => { readonly exports: unknown };
};

const PAGE = 65_536;

/** Makes the kernel and its memory; `undefined` where that cannot be done. */
export function createSimdLoops(layout: Layout): { buffer: ArrayBuffer; loops: Loops } | undefined {
  try {
    const pages = Math.ceil(layout.size / PAGE);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const module = new WebAssembly.Module(Buffer.from(KERNEL, "base64"));
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    fillEscapeTable(new Uint8Array(memory.buffer, ESCAPE_TABLE, ESCAPE_TABLE_SIZE));
    new Float64Array(memory.buffer, POWERS, POWER_COUNT).forEach((_, exponent, powers) => {
      powers[exponent] = 10 ** exponent;
    });
    return { buffer: memory.buffer, loops: exports as Loops };
  } catch {
    // --jitless (no WebAssembly at all), a processor without 128-bit SIMD, or too little address space (ulimit -v).
    return undefined;
  }
}

/** A position of 16 and more gives a zero, which the loop takes for a backslash. */
function fillEscapeTable(table: Uint8Array): void {
  table.fill(16);
  for (let set = 0; set < 256; set++) {
    let at = set * 16;
    for (let byte = 0; byte < 8; byte++) {
      if ((set >> byte) & 1) at++;
      table[at++] = byte;
    }
  }
}
