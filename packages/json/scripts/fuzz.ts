// pnpm --filter @mqb/json fuzz [ROUNDS] [SEED]: a long run of what the tests do in short.
import { fuzzBatches } from "../test/fuzz/batch-fuzz.ts";
import { fuzzJson } from "../test/fuzz/json-fuzz.ts";

const [rounds = 1_000_000, seed = Date.now() % 1_000_000_000] = process.argv.slice(2).map(Number);
console.log(`seed ${seed}`);
console.log(fuzzJson(rounds, seed));
console.log(fuzzBatches(rounds, seed));
