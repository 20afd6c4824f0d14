// node bench/run.mjs: runs the cases and prints a Markdown table. README.md says what the figures mean.
import { writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { cases } from "./cases.mjs";
import { inputs } from "./harness/cache.mjs";
import { versions } from "./harness/contenders.mjs";
import { selfMeasured, selfMeasuredHead, selfMeasuredRows } from "./harness/in-process.mjs";
import { compete } from "./harness/measure.mjs";
import { tableHead, tableRows } from "./harness/report.mjs";
import { stalled, stalledHead, stalledRows } from "./harness/stalled.mjs";

const KINDS = { ours: "ours", floors: "floor", peers: "peer" };
const USAGE = `usage: node bench/run.mjs [--rows 1000000] [--runs 5] [--only NAME,…] [--json FILE]

  --only  names of cases and of kinds: ${Object.keys(KINDS).join(", ")}; a kind alone means every case
  cases   ${cases.map(({ name }) => name).join(" ")}`;

const options = readArguments();
const versionsOfAll = versions();
const results = [];
const named = Object.entries(versionsOfAll).map(([name, version]) => `${name} ${version.replace(/^mqb /, "")}`);
console.log(`${named.join(", ")}; ${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB`);

const MEASURES = {
  process: { head: tableHead, measure: compete, rows: tableRows },
  self: { head: selfMeasuredHead, measure: selfMeasured, rows: selfMeasuredRows },
  stalled: { head: stalledHead, measure: stalled, rows: stalledRows },
};
for (const [kind, { head, measure, rows }] of Object.entries(MEASURES)) {
  const chosen = cases.filter((one) => (one.measure ?? "process") === kind && options.wants(one.name));
  if (chosen.length > 0) console.log(`\n${head}`);
  for (const one of chosen) {
    const data = await inputs(one.rows ?? options.rows * (one.times ?? 1));
    const contenders = one.contenders(data).filter((contender) => options.kinds.includes(contender.kind));
    const load = loadavg()[0];
    const found = await measure(contenders, options.runs, data);
    if (found.length > 0) console.log(rows(one.name, found));
    for (const { contender, samples, verdict } of found) {
      results.push({ case: one.name, rows: data.rows, who: contender.name, verdict, load, samples });
    }
  }
}
if (options.json) writeFileSync(options.json, `${JSON.stringify({ versions: versionsOfAll, results }, null, 2)}\n`);
if (results.some(({ verdict }) => /^(WRONG|FAILED)/.test(verdict))) process.exitCode = 1;

function readArguments() {
  const text = { type: "string" };
  let values;
  try {
    ({ values } = parseArgs({
      options: { rows: text, runs: text, only: text, json: text, help: { type: "boolean" } },
    }));
  } catch (cause) {
    refuse(cause.message);
  }
  if (values.help) {
    console.log(USAGE);
    process.exit();
  }
  const words = values.only?.split(",") ?? [];
  const names = words.filter((word) => !(word in KINDS));
  const unknown = names.filter((word) => !cases.some(({ name }) => name === word));
  if (unknown.length > 0) refuse(`no such case: ${unknown.join(", ")}`);
  const kinds = words.filter((word) => word in KINDS).map((word) => KINDS[word]);
  return {
    rows: positive("rows", values.rows ?? "1000000"),
    runs: positive("runs", values.runs ?? "5"),
    json: values.json,
    kinds: kinds.length > 0 ? kinds : Object.values(KINDS),
    wants: (name) => names.length === 0 || names.includes(name),
  };
}

function positive(name, text) {
  const value = Number(text.replaceAll("_", ""));
  if (!Number.isInteger(value) || value < 1) refuse(`--${name} ${text}: a whole number is needed`);
  return value;
}

function refuse(fault) {
  console.error(`${fault}\n\n${USAGE}`);
  process.exit(2);
}
