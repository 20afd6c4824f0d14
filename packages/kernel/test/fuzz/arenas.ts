import { type Arena, arenaOver } from "../../src/arena.ts";
import { Layout, type LayoutSizes } from "../../src/layout.ts";
import { createJsLoops } from "../../src/loops/index.ts";
import { createSimdLoops } from "../../src/simd.ts";
import type { Random } from "./random.ts";

/** Makes small arenas of both twins. There is one memory for each: every WebAssembly.Memory reserves 10 GiB of addresses. */
export class Arenas {
  readonly #simd = createSimdLoops(new Layout());
  readonly #js = new ArrayBuffer(new Layout().size);
  /** Kept, so that the JavaScript loops are compiled once. */
  readonly #made = new Map<string, Arena>();

  get hasSimd(): boolean {
    return this.#simd !== undefined;
  }

  get(simd: boolean, sizes: LayoutSizes): Arena {
    const key = JSON.stringify([simd, sizes]);
    let arena = this.#made.get(key);
    if (arena === undefined) {
      const layout = new Layout(sizes);
      arena = simd
        ? arenaOver(this.#simd!.buffer, layout, true, () => this.#simd!.loops)
        : arenaOver(this.#js, layout, false, createJsLoops);
      this.#made.set(key, arena);
    }
    // Another arena over the same memory may have been used since.
    arena.owner = undefined;
    return arena;
  }

  /** Areas so small that everything that can run full does. */
  small(simd: boolean, random: Random): Arena {
    return this.get(simd, {
      keys: 512,
      input: random.pick([128, 1024, 1024]),
      output: random.pick([256, 1024, 4096, 4096]),
      ragged: 128,
    });
  }
}
