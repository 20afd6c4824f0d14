// tsx --conditions=@mqb/source scripts/random-pipelines.ts [N [SEED]]: N random pipelines with faults and kills, each message
// accounted for.
import { runPipeline } from "../test/pipelines/run.ts";

const count = Number(process.argv[2] ?? 10_000);
const first = Number(process.argv[3] ?? 1);
const start = performance.now();
let failures = 0;
for (let seed = first; seed < first + count; seed++) {
  const { pipeline, wrong } = await runPipeline(seed);
  if (wrong.length === 0) continue;
  failures += 1;
  console.log(`seed ${seed}: ${wrong.join("; ")}\n  ${JSON.stringify(pipeline)}`);
}
console.log({ count, first, failures, seconds: Math.round((performance.now() - start) / 1000) });
process.exitCode = failures > 0 ? 1 : 0;
