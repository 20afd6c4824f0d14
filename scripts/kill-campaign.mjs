// Kills a file -> file route again and again at random moments and checks that nothing was lost.
//   node scripts/kill-campaign.mjs [--rounds 200] [--signal SIGKILL|SIGTERM] [--seed N] [--keep]
// Every round appends rows to the input, starts `mqb run`, and sends the signal some milliseconds after the output has
// begun to grow. At the end one run drains the rest. The output is then read by this script alone, line by line.
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const CLI = fileURLToPath(new URL("../apps/cli/dist/mqb.cjs", import.meta.url));
const BATCH = 64;
const CONCURRENCY = 2;
const COMMIT_LIMIT = 2;
const GRACE_MS = 10_000;

/**
 * @typedef {"SIGKILL" | "SIGTERM"} Signal
 * @typedef {{ process: import("node:child_process").ChildProcess, done: boolean, exited: Promise<Exit> }} Child
 * @typedef {{ code: number | null, signal: string | null, stderr: string }} Exit
 * @typedef {{ rounds: number, signal?: Signal, seed?: number, rowsPerRound?: number, keep?: boolean,
 *   log?: (line: string) => void }} Options
 * @typedef {{ rounds: number, signal: Signal, seed: number, rows: number, lost: number, duplicated: number,
 *   foreign: number, hits: number, slowestExitMs: number, badExits: number, inFlightBound: number }} Result
 */

/**
 * Runs a campaign and returns what it counted. `inFlightBound` is the most rows that one kill may make come twice: those
 * of the batches that were being written or waiting for their commit.
 * @param {Options} options
 * @returns {Promise<Result>}
 */
export async function killCampaign({
  rounds,
  signal = "SIGKILL",
  seed = 1,
  rowsPerRound = 4000,
  keep = false,
  log = () => {},
}) {
  const random = prng(seed);
  const folder = mkdtempSync(join(tmpdir(), "mqb-kill-"));
  const input = join(folder, "in.jsonl");
  const output = join(folder, "out.jsonl");
  const config = join(folder, "mqb.yml");
  const result = {
    rounds,
    signal,
    seed,
    rows: 0,
    lost: 0,
    duplicated: 0,
    foreign: 0,
    hits: 0,
    slowestExitMs: 0,
    badExits: 0,
    inFlightBound: rounds * (CONCURRENCY + COMMIT_LIMIT) * BATCH,
  };
  writeFileSync(input, "");
  writeFileSync(config, route(input, output, false));
  for (let round = 0; round < rounds; round++) {
    result.rows = append(input, result.rows, rowsPerRound);
    const child = start(config, folder);
    const before = size(output);
    if (await grows(output, before, child)) {
      await wait(random() * 120);
      result.hits += 1;
    }
    const sent = performance.now();
    child.process.kill(signal);
    const exit = await child.exited;
    const took = performance.now() - sent;
    if (took > result.slowestExitMs) result.slowestExitMs = took;
    if (signal !== "SIGKILL" && exit.code !== 0) {
      result.badExits += 1;
      log(`round ${round}: exit code ${exit.code} signal ${exit.signal}\n${exit.stderr}`);
    }
    if (round % 20 === 19) log(`${round + 1} rounds, ${result.rows} rows in, ${size(output)} bytes out`);
  }
  writeFileSync(config, route(input, output, true));
  const last = await start(config, folder).exited;
  if (last.code !== 0) {
    result.badExits += 1;
    log(`the draining run: exit code ${last.code}\n${last.stderr}`);
  }
  Object.assign(result, count(output, result.rows));
  if (keep) log(`kept ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
  return result;
}

/** @param {string} input @param {string} output @param {boolean} drain */
function route(input, output, drain) {
  return `routes:
  survivor:
    concurrency: ${CONCURRENCY}
    batch_size: ${BATCH}
    commit_concurrency_limit: ${COMMIT_LIMIT}
    exit_on_empty: ${drain}
    input:
      file: { path: ${JSON.stringify(input)}, format: raw, mode: group_subscribe, group_id: campaign }
    output:
      middlewares:${drain ? " []" : "\n        - delay: { delay_ms: 1 }"}
      file: { path: ${JSON.stringify(output)}, format: raw }
`;
}

/** @param {string} path @param {number} from @param {number} rows */
function append(path, from, rows) {
  let text = "";
  for (let n = from; n < from + rows; n++) text += `{"n":${n},"text":"${"abcdefghij".repeat(1 + (n % 20))}"}\n`;
  appendFileSync(path, text);
  return from + rows;
}

/** @param {string} config @param {string} cwd @returns {Child} */
function start(config, cwd) {
  const process_ = spawn(process.execPath, [CLI, "run", "-c", config], { cwd, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  process_.stderr.on("data", (data) => {
    stderr = (stderr + data).slice(-4000);
  });
  /** @type {Child} */
  const child = {
    process: process_,
    done: false,
    exited: new Promise((resolve) => {
      process_.on("close", (code, signal) => {
        child.done = true;
        resolve({ code, signal, stderr });
      });
    }),
  };
  return child;
}

/** @param {string} path @param {number} before @param {Child} child */
async function grows(path, before, child) {
  const deadline = performance.now() + 10_000;
  while (size(path) <= before) {
    if (child.done || performance.now() > deadline) return false;
    await wait(3);
  }
  return true;
}

/** @param {string} path @param {number} rows */
function count(path, rows) {
  const seen = new Uint32Array(rows);
  let foreign = 0;
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (line === "") continue;
    const match = /^\{"n":(\d+),"text":"((?:abcdefghij)+)"\}$/.exec(line);
    const n = match ? Number(match[1]) : -1;
    const times = match?.[2]?.length === 10 * (1 + (n % 20)) ? seen[n] : undefined;
    if (times === undefined) foreign += 1;
    else seen[n] = times + 1;
  }
  let lost = 0;
  let duplicated = 0;
  for (const times of seen) {
    if (times === 0) lost += 1;
    else duplicated += times - 1;
  }
  return { lost, duplicated, foreign };
}

/** @param {string} path */
function size(path) {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

/**
 * Mulberry32: a small generator with a seed, so that a campaign can be repeated.
 * @param {number} seed
 */
function prng(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * What is wrong with a result; empty when it holds.
 * @param {Result} result
 */
export function faults(result) {
  const list = [];
  if (result.lost > 0) list.push(`${result.lost} rows lost`);
  if (result.foreign > 0) list.push(`${result.foreign} lines that nobody wrote`);
  if (result.duplicated > (result.signal === "SIGKILL" ? result.inFlightBound : 0))
    list.push(`${result.duplicated} rows twice`);
  if (result.badExits > 0) list.push(`${result.badExits} bad exits`);
  if (result.slowestExitMs > GRACE_MS) list.push(`an exit took ${Math.round(result.slowestExitMs)} ms`);
  if (result.hits < result.rounds / 2)
    list.push(`only ${result.hits} of ${result.rounds} signals came while rows were moving`);
  return list;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "200" },
      signal: { type: "string", default: "SIGKILL" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      keep: { type: "boolean", default: false },
    },
  });
  const result = await killCampaign({
    rounds: Number(values.rounds),
    signal: values.signal === "SIGTERM" ? "SIGTERM" : "SIGKILL",
    seed: Number(values.seed),
    keep: values.keep,
    log: (line) => console.error(line),
  });
  console.log(result);
  const wrong = faults(result);
  console.log(wrong.length === 0 ? "held" : `BROKEN: ${wrong.join(", ")}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
