import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { outPath } from "./contenders.mjs";

const SECONDS = 5;

/**
 * How much memory a process takes whose reader has stopped reading: its standard output is a pipe from which nothing is
 * read for five seconds. A bridge with back-pressure stops reading too; one without takes in its whole source. One run
 * each: peaks hardly differ. The sample is the peak in bytes.
 * @param {readonly import("./measure.mjs").Contender[]} contenders
 */
export async function stalled(contenders) {
  const results = [];
  for (const contender of contenders) results.push(await stallOne(contender));
  return results;
}

export const stalledHead = "| case | who | peak RSS MiB | |\n| --- | --- | --- | --- |";

export function stalledRows(name, results) {
  const cell = (samples) => (samples.length === 0 ? "" : Math.round(samples[0] / 1024 / 1024));
  return results
    .map(({ contender, samples, verdict }) => `| ${name} | ${contender.name} | ${cell(samples)} | ${verdict} |`)
    .join("\n");
}

async function stallOne(contender) {
  if (contender.missing !== undefined) return { contender, samples: [], verdict: contender.missing };
  const [command, ...args] = contender.argv;
  // A named pipe that we hold open at both ends, since a pipe of child_process is a socket, which /dev/stdout cannot open.
  const pipe = outPath("stalled.pipe");
  rmSync(pipe, { force: true });
  execFileSync("mkfifo", [pipe]);
  const held = openSync(pipe, "r+");
  const child = spawn(command, args, { stdio: ["ignore", held, "ignore"] });
  const ended = once(child, "exit");
  await Promise.race([wait(SECONDS * 1000), ended]);
  const peak = child.exitCode === null ? peakOf(child.pid) : undefined;
  child.kill("SIGKILL");
  await ended;
  closeSync(held);
  rmSync(pipe);
  return peak === undefined
    ? { contender, samples: [], verdict: `FAILED: ended with ${child.exitCode} before it could stall` }
    : { contender, samples: [peak], verdict: "stalled" };
}

function peakOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
