// Measures how long the command takes where people wait for it: with 40 plugins installed, help, version and completion;
// the check of a configuration with 500 routes. Prints the median of several runs of the whole process, and fails when one
// takes longer than it may. Build first: node scripts/bundle.mjs
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../dist/mqb.cjs", import.meta.url));
const PLUGINS = 40;
const ROUTES = 500;
const RUNS = 9;

const folder = mkdtempSync(join(tmpdir(), "mqb-measure-"));
try {
  project();
  const floor = timeOf(["-e", "0"]);
  process.stdout.write(`node alone ${" ".repeat(18)}${floor.toFixed(0).padStart(5)} ms\n`);
  const slow = [
    measure(["--version"], 150),
    measure(["--help"], 150),
    measure(["copy", "--help"], 150),
    measure(["completion", "bash"], 150),
    measure(["plugins", "list"], 400),
    measure(["check", "-c", "many.yml"], 1000),
  ].filter(Boolean);
  process.exitCode = slow.length > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function project() {
  const names = Array.from({ length: PLUGINS }, (_, i) => `mqb-plugin-fake-${i}`);
  const dependencies = Object.fromEntries(names.map((name) => [name, "1.0.0"]));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "measured", private: true, dependencies }));
  for (const [i, name] of names.entries()) {
    const at = join(folder, "node_modules", name);
    mkdirSync(at, { recursive: true });
    const mqb = { apiVersion: 1, endpoints: [`fake_${i}`], middlewares: [], stores: [], schemes: [`fake-${i}`] };
    writeFileSync(join(at, "package.json"), JSON.stringify({ name, version: "1.0.0", main: "index.js", mqb }));
    writeFileSync(join(at, "index.js"), 'throw new Error("it was imported");');
  }
  const routes = Array.from(
    { length: ROUTES },
    (_, i) => `  route_${i}:
    input: { file: { path: "in-${i}.jsonl", format: raw } }
    output:
      file: { path: "out-${i}.jsonl", format: raw }
      middlewares:
        - retry: { max_attempts: 5 }
        - dlq: { endpoint: { file: { path: "rejected-${i}.jsonl" } } }
`,
  );
  writeFileSync(join(folder, "many.yml"), `routes:\n${routes.join("")}`);
}

/**
 * @param {string[]} args
 * @param {number} limit in milliseconds
 */
function measure(args, limit) {
  const median = timeOf([BIN, ...args]);
  const verdict = median > limit ? "too slow" : "ok";
  process.stdout.write(
    `mqb ${args.join(" ").padEnd(24)} ${median.toFixed(0).padStart(5)} ms of ${limit}  ${verdict}\n`,
  );
  return median > limit;
}

/** @param {string[]} args of node */
function timeOf(args) {
  const times = Array.from({ length: RUNS }, () => {
    const before = performance.now();
    execFileSync(process.execPath, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    return performance.now() - before;
  }).sort((a, b) => a - b);
  return times[Math.floor(RUNS / 2)] ?? 0;
}
