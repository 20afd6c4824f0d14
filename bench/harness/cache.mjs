// Inputs and what the independent reader finds in them are made once for a number of rows and kept.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SEED = 1;
const here = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Everything outside the repository: inputs, outputs, the peers. */
export function cacheFolder() {
  const folder = process.env.MQB_BENCH_CACHE || join(homedir(), ".cache", "mqb-bench");
  mkdirSync(join(folder, "data"), { recursive: true });
  mkdirSync(join(folder, "out"), { recursive: true });
  return folder;
}

/**
 * @returns {{ csv: string, jsonl: string, rows: number, content: string }} paths, and the hash of reference.py
 */
export function inputs(rows) {
  const csv = make(`${rows}.csv`, (draft) => node("generate.mjs", rows, SEED, draft));
  const jsonl = make(`${rows}.jsonl`, (draft) => node("generate.mjs", rows, SEED, draft, "--jsonl"));
  const found = make(`${rows}.json`, (draft) => {
    const [a, b] = [reference("csv", csv), reference("jsonl", jsonl)];
    if (a.content !== b.content || a.rows !== rows) throw new Error(`the inputs differ: ${JSON.stringify([a, b])}`);
    writeFileSync(draft, JSON.stringify(a));
  });
  return { csv, jsonl, ...JSON.parse(readFileSync(found, "utf8")) };
}

/** What an independent reader finds in a file: the number of rows and a hash of their content. */
export function reference(form, file) {
  return JSON.parse(execFileSync("python3", [here("reference.py"), form, file], { encoding: "utf8" }));
}

function make(name, write) {
  // The generator is part of the name: another generator, another file.
  const path = join(cacheFolder(), "data", `v1-seed${SEED}-${name}`);
  if (existsSync(path)) return path;
  process.stderr.write(`making ${path}\n`);
  write(`${path}.draft`);
  renameSync(`${path}.draft`, path);
  return path;
}

function node(script, ...args) {
  execFileSync(process.execPath, [here(script), ...args.map(String)], { stdio: "inherit" });
}
