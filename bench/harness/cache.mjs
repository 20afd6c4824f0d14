// Inputs and what the independent reader finds in them are made once for a number of rows and kept.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SEED = 1;
const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Everything outside the repository: inputs, outputs, the peers. */
export function cacheFolder() {
  const folder = process.env.MQB_BENCH_CACHE || join(homedir(), ".cache", "mqb-bench");
  mkdirSync(join(folder, "data"), { recursive: true });
  mkdirSync(join(folder, "out"), { recursive: true });
  return folder;
}

/**
 * @returns {Promise<{ csv: string, jsonl: string, rows: number, content: string }>} paths, and what reference.py finds
 */
export async function inputs(rows) {
  const [csv, jsonl] = await Promise.all([
    make(`${rows}.csv`, (draft) => node("generate.mjs", rows, SEED, draft)),
    make(`${rows}.jsonl`, (draft) => node("generate.mjs", rows, SEED, draft, "--jsonl")),
  ]);
  const found = await make(`${rows}.json`, async (draft) => {
    const [a, b] = await Promise.all([reference("csv", csv), reference("jsonl", jsonl)]);
    if (a.content !== b.content || a.rows !== rows) throw new Error(`the inputs differ: ${JSON.stringify([a, b])}`);
    writeFileSync(draft, JSON.stringify(a));
  });
  return { csv, jsonl, ...JSON.parse(readFileSync(found, "utf8")) };
}

/** What an independent reader finds in a file: the number of rows and a hash of their content. */
export async function reference(form, file) {
  return JSON.parse((await run("python3", [here("reference.py"), form, file])).stdout);
}

async function make(name, write) {
  // The version is the generator's: other rows, other files.
  const path = join(cacheFolder(), "data", `v1-seed${SEED}-${name}`);
  if (existsSync(path)) return path;
  process.stderr.write(`making ${path}\n`);
  await write(`${path}.draft`);
  renameSync(`${path}.draft`, path);
  return path;
}

function node(script, ...args) {
  return run(process.execPath, [here(script), ...args.map(String)]);
}
