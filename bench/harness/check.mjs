// Is what a run has written what an independent reader has found in its input?
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { reference } from "./cache.mjs";

/**
 * @param {{ file: string, form: "jsonl" | "csv" | "normal" | "agreed" | "any", packed?: "gzip" | "zstd" }} output
 * @param {{ rows: number, content: string }} expected
 * @param {{ content?: string }} agreed  what the first of those wrote that have to write the same
 * @returns {Promise<string>} `ok`, or what is wrong
 */
export async function check(output, expected, agreed) {
  if (output.form === "any") return "-";
  if (output.form === "agreed") {
    const content = await sha256(createReadStream(output.file));
    agreed.content ??= content;
    return content === agreed.content ? "ok (all wrote the same)" : "WRONG: other bytes than the first";
  }
  if (output.form !== "jsonl") {
    const found = await reference(output.form, output.file);
    return found.content === expected.content ? "ok" : `WRONG: ${found.rows} rows, another content`;
  }
  if (output.packed !== undefined && spawnSync(output.packed, ["--version"]).error) {
    return `not checked: ${output.packed} is not installed`;
  }
  const content = await sha256(output.packed ? unpacked(output) : createReadStream(output.file));
  return content === expected.content ? "ok" : "WRONG: other bytes";
}

/** A cheap look at a later run of a command whose first run was checked. */
export function sizeOf(file) {
  return statSync(file).size;
}

/** The row count that the summary of `mqb copy` states; for sinks that keep nothing. */
export function countInSummary(text, expected) {
  const stated = Number(/copied ([\d_]+) rows/.exec(text)?.[1]?.replaceAll("_", ""));
  return stated === expected.rows ? "ok (by its own count)" : `WRONG: ${text.trim().slice(0, 200)}`;
}

async function sha256(stream) {
  const hash = createHash("sha256");
  await pipeline(stream, hash);
  return hash.digest("hex");
}

function unpacked({ packed, file }) {
  return spawn(packed, ["-dc", file], { stdio: ["ignore", "pipe", "inherit"] }).stdout;
}

/** The version that a command prints, or undefined when it cannot run. */
export function versionOf(command, ...args) {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
      .trim()
      .split("\n")[0];
  } catch {
    return undefined;
  }
}
