/**
 * Fuzzes the reading of endpoint URIs:
 *
 *     node --conditions=@mqb/source --import tsx packages/config/scripts/fuzz-uris.ts [COUNT] [SEED]
 *
 * Prints how many were refused, the times and the first failures; exit code 1 for a failure or a p99 over 100 ms.
 */
import { createRegistry } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { packageFor } from "../src/uri.ts";
import { fakePlugin } from "../test/fake-plugin.ts";
import { structural } from "../test/fake-structural.ts";
import { fuzzUris } from "../test/fuzz/uris.ts";

const MOST_MS = 100;
const [count = "100000", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const registries = {
  "what comes with mqb": createRegistry([standard, file], { packageFor }),
  fakes: createRegistry([fakePlugin, structural], { packageFor }),
};
for (const [name, registry] of Object.entries(registries)) {
  const half = Math.ceil(Number(count) / 2);
  const { refused, p50, p99, slowest, failures } = fuzzUris({ registry, count: half, seed: Number(seed) });
  const ms = (time: number): string => `${time.toFixed(2)} ms`;
  console.log(`${name}: ${half} URIs from seed ${seed}: ${refused} refused, ${failures.length} failures`);
  console.log(`  of at most 10 KB: p50 ${ms(p50)}, p99 ${ms(p99)}, slowest ${ms(slowest)}`);
  for (const failure of failures.slice(0, 5)) {
    console.log(`\nseed ${failure.seed}: ${failure.reason}\n${JSON.stringify(failure.uri.slice(0, 500))}`);
  }
  if (failures.length > 0 || p99 > MOST_MS) process.exitCode = 1;
}
