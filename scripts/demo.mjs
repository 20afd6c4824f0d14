// `npm run demo`: makes a CSV file of a million orders, copies it to JSON lines with mqb, and counts both files again
// without mqb. `--rows N` for another size.
import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bootstrap, run } from "./bootstrap.mjs";
import { countCsv, countJsonLines } from "./demo/count.mjs";
import { root } from "./workspace.mjs";

const { values } = parseArgs({ options: { rows: { type: "string", default: "1000000" } } });
const rows = Number(values.rows);
const input = `demo-data/orders-${rows}.csv`;
const output = "demo-data/orders.jsonl";
const command = ["./mqb", "copy", `file:${input}?format=csv`, `file:${output}?format=raw`, "--drain"];

try {
  main();
} catch (error) {
  process.stderr.write(`demo: ${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
}

function main() {
  if (!Number.isSafeInteger(rows) || rows < 1)
    throw new Error(`--rows ${values.rows}: a whole number above 0 is needed`);
  const env = bootstrap({ build: false });
  mkdirSync(join(root, "demo-data"), { recursive: true });
  rmSync(join(root, output), { force: true });
  if (!existsSync(join(root, input))) {
    step(`Making ${rows.toLocaleString("en")} rows of input`);
    run(process.execPath, ["bench/generate.mjs", String(rows), "1", input], env);
  }
  step("Building mqb, if it is not built yet");
  run(process.execPath, ["./mqb", "--version"], env);
  step(`${command.join(" ")}`);
  const start = performance.now();
  run(process.execPath, command, env);
  const seconds = (performance.now() - start) / 1000;
  step(`Done in ${seconds.toFixed(2)} s, the start of the process included`);
  show(input);
  show(output);
  verify();
}

function verify() {
  step("Counting both files again, without mqb");
  const before = countCsv(join(root, input));
  const after = countJsonLines(join(root, output));
  for (const [name, { rows: count, cents }] of Object.entries({ CSV: before, "JSON lines": after })) {
    process.stdout.write(
      `${name.padEnd(11)}${count.toLocaleString("en")} rows, amounts add up to ${cents / 100n}.${String(cents % 100n).padStart(2, "0")}\n`,
    );
  }
  if (before.rows !== rows || before.rows !== after.rows || before.cents !== after.cents) {
    throw new Error("the two files do not hold the same rows");
  }
  process.stdout.write("They agree.\n");
}

/** @param {string} path */
function show(path) {
  const head = Buffer.alloc(400);
  const file = openSync(join(root, path), "r");
  const length = readSync(file, head);
  closeSync(file);
  const lines = head.toString("utf8", 0, length).split("\n").slice(0, 2);
  const megabytes = (statSync(join(root, path)).size / 1e6).toFixed(1);
  process.stdout.write(`${path}, ${megabytes} MB, begins with\n${lines.map((line) => `    ${line}\n`).join("")}`);
}

/** @param {string} text */
function step(text) {
  process.stdout.write(`\n> ${text}\n`);
}
