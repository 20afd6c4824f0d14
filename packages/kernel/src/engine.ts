import { type Arena, sharedArena } from "./arena.ts";

/**
 * Which twin runs the loops. `auto` takes SIMD and falls back to JavaScript when the module cannot be made
 * (`--jitless`, a processor without 128-bit SIMD, too little address space); `simd` throws a TypeError then.
 */
export type Engine = "auto" | "simd" | "js";

/** Whether `auto` means SIMD in this thread. The first call makes the module (about 1 ms). */
export function simdAvailable(): boolean {
  return sharedArena("auto").simd;
}

/** The arena that `engine` stands for. Shared by everything in this thread: what lies in it is gone at the next call. */
export function arenaOf(engine: Engine | undefined): Arena {
  const arena = sharedArena(engine ?? "auto");
  if (engine === "simd" && !arena.simd) throw new TypeError("engine: simd is not available in this process; use auto");
  return arena;
}
