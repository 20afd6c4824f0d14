/**
 * Fuzzes the configuration with mutated examples:
 *
 *     pnpm --filter @mqb/config fuzz [COUNT] [SEED]
 *
 * Prints how many were refused, the times and the first failures; exit code 1 for a failure or a p99 over 100 ms.
 */
import { documentsOf, readExamples } from "../test/examples/example.ts";
import { fuzzDocuments } from "../test/fuzz/run.ts";
import { registryWithStubs } from "../test/stubs/registry.ts";

const MOST_MS = 100;
const [count = "100000", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const registry = await registryWithStubs();
const documents = readExamples().flatMap(documentsOf);
const result = fuzzDocuments({ registry, documents, count: Number(count), seed: Number(seed) });
const { refused, p50, p99, slowest, failures } = result;
const ms = (time: number): string => `${time.toFixed(1)} ms`;
console.log(`${count} documents from seed ${seed}: ${refused} refused, ${failures.length} failures`);
console.log(`documents of at most 10 KB: p50 ${ms(p50)}, p99 ${ms(p99)}, slowest ${ms(slowest)}`);
for (const failure of failures.slice(0, 5)) console.log(`\nseed ${failure.seed}: ${failure.reason}\n${failure.text}`);
process.exitCode = failures.length > 0 || p99 > MOST_MS ? 1 : 0;
