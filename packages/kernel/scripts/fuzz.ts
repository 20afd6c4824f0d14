// tsx --conditions=@mqb/source scripts/fuzz.ts [N [SEED]]: N random inputs against the slow references, both twins.
import { Arenas } from "../test/fuzz/arenas.ts";
import { runFuzz } from "../test/fuzz/run.ts";

const inputs = Number(process.argv[2] ?? 100_000);
const seed = Number(process.argv[3] ?? 1);
const start = performance.now();
const arenas = new Arenas();
const counts = runFuzz(inputs, seed, arenas);
console.log({ seed, simd: arenas.hasSimd, ...counts, seconds: Math.round((performance.now() - start) / 1000) });
