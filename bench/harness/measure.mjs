import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { check, countInSummary, sizeOf } from "./check.mjs";

const MEASURE = fileURLToPath(new URL("../measure.py", import.meta.url));

/**
 * @typedef {object} Contender  one way of doing the job of a case
 * @property {string} name
 * @property {"ours" | "floor" | "peer"} kind
 * @property {string[]} argv
 * @property {{ file: string, form: "jsonl" | "csv" | "normal" | "agreed" | "any", packed?: "gzip" | "zstd" }} [output]
 * @property {string} [removes]  a folder that each run has to begin without
 * @property {boolean} [counts]  prints the summary of `mqb copy`; looked at when there is no output to read
 * @property {string} [missing]  why it cannot run here
 */

/** @typedef {{ wall: number, user: number, sys: number, rss: number }} Sample */

/**
 * Runs the contenders in turn, A B C A B C …: one round that is not counted and whose output is read by an independent
 * reader, then `runs` that are. A contender that fails or writes something else is out, with the reason.
 * @param {readonly Contender[]} contenders
 * @param {number} runs
 * @param {{ rows: number, content: string }} expected
 * @returns {Promise<{ contender: Contender, samples: Sample[], verdict: string }[]>}
 */
export async function compete(contenders, runs, expected) {
  const results = contenders.map((contender) => ({ contender, samples: [], verdict: contender.missing ?? "" }));
  const agreed = {};
  for (let round = 0; round <= runs; round += 1) {
    for (const result of results) {
      const { contender } = result;
      if (result.out || contender.missing !== undefined) continue;
      const { text, code, ...sample } = once(contender);
      if (code !== 0 && /is not installed/.test(text)) {
        contender.missing = result.verdict = complaint(text);
      } else if (code !== 0) {
        Object.assign(result, { out: true, verdict: `FAILED (${code}): ${complaint(text)}` });
      } else if (round === 0) {
        result.verdict = await verdictOf(contender, text, expected, agreed);
        result.out = result.verdict.startsWith("WRONG");
        result.size = contender.output && sizeOf(contender.output.file);
      } else {
        result.samples.push(sample);
        // Envelopes hold fresh ids, all of one length; compressors and encoders are deterministic.
        if (contender.output && sizeOf(contender.output.file) !== result.size) {
          Object.assign(result, { out: true, verdict: `WRONG: run ${round} wrote another size` });
        }
      }
      // Unwritten pages of a removed file are never written: the next run has the disk for itself.
      if (contender.output) rmSync(contender.output.file, { force: true });
    }
  }
  return results;
}

function once(contender) {
  if (contender.output && existsSync(contender.output.file)) rmSync(contender.output.file);
  if (contender.removes) rmSync(contender.removes, { recursive: true, force: true });
  return JSON.parse(execFileSync("python3", [MEASURE, ...contender.argv], { encoding: "utf8", maxBuffer: 64 << 20 }));
}

async function verdictOf(contender, text, expected, agreed) {
  if (contender.output) {
    if (!existsSync(contender.output.file)) return `WRONG: nothing was written (${text.trim().slice(0, 200)})`;
    return check(contender.output, expected, agreed);
  }
  return contender.counts ? countInSummary(text, expected) : "-";
}

/** The line of an output that says most: the one that names an error, else the last. */
function complaint(text) {
  const lines = text.trim().split("\n");
  return (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? "").slice(0, 300).replaceAll("|", "\\|");
}
