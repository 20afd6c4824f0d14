// node still.mjs [MESSAGES] [kafka] [nats]: what a process takes that stands still. Memory: a million messages wait in the broker while
// the output (a server that never answers) takes nothing. CPU: nothing waits at all. Of the command, as Linux tells it in /proc.
// Build first: pnpm build; brokers: scripts/services up kafka nats
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CLI } from "../harness/contenders.mjs";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const WANTED = process.argv.length > 3 ? process.argv.slice(3) : ["kafka", "nats"];
const KAFKA = process.env.MQB_TEST_KAFKA_URL ?? "127.0.0.1:28092";
const NATS = process.env.MQB_TEST_NATS_URL ?? "nats://127.0.0.1:28422";
const MEMORY_MS = 20_000;
const IDLE_MS = 20_000;
const TICKS_PER_SECOND = 100;

const ENDS = {
  kafka: (name) => ({
    output: { kafka: { url: KAFKA, topic: name } },
    input: { kafka: { url: KAFKA, topic: name, group_id: name } },
  }),
  nats: (name) => ({
    output: { nats: { url: NATS, subject: `${name}.a`, stream: name } },
    input: { nats: { url: NATS, subject: `${name}.a`, stream: name } },
  }),
};

const folder = mkdtempSync(join(tmpdir(), "mqb-still-"));
const server = createServer(() => {});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const output = { http: { url: `http://127.0.0.1:${server.address().port}/`, request_timeout_ms: 3_600_000 } };
try {
  const rows = join(folder, "rows.jsonl");
  const pad = randomBytes(60).toString("hex");
  const stream = createWriteStream(rows);
  for (let n = 0; n < COUNT; n++)
    if (!stream.write(`${JSON.stringify({ id: n, name: `customer ${n}`, note: pad })}\n`))
      await new Promise((resolve) => stream.once("drain", resolve));
  await new Promise((resolve) => stream.end(resolve));
  for (const name of WANTED) {
    const full = ENDS[name](`still-${randomBytes(6).toString("hex")}`);
    const filling = { input: { file: { path: rows, format: "raw" } }, output: full.output, exit_on_empty: true };
    await promisify(execFile)(process.execPath, [CLI, ...configured(filling)]);
    const memory = await watched({ input: full.input, output, batch_size: 1024, concurrency: 4 }, MEMORY_MS);
    console.log(
      `${name}: ${COUNT} messages wait, the output takes none: at most ${memory.peak} MiB, now ${memory.now} MiB`,
    );
    const empty = ENDS[name](`idle-${randomBytes(6).toString("hex")}`);
    await promisify(execFile)(process.execPath, [
      CLI,
      ...configured({ ...filling, output: empty.output, input: { static: { body: "x" } } }),
    ]);
    const idle = await watched(
      { input: empty.input, output: { file: { path: join(folder, "out"), format: "raw" } } },
      IDLE_MS,
    );
    console.log(`${name}: idle for ${IDLE_MS / 1000} s: ${idle.percent.toFixed(2)} % of a core, ${idle.now} MiB`);
  }
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
}

function configured(route) {
  const path = join(folder, `${randomBytes(4).toString("hex")}.json`);
  writeFileSync(path, JSON.stringify({ routes: { still: route } }));
  const plugins = ["kafka", "nats", "http"].map(
    (name) => new URL(`../../plugins/${name}/dist/index.js`, import.meta.url),
  );
  return ["--config", path, "--no-ui", "--no-metrics", ...plugins.flatMap((url) => ["--plugin", fileURLToPath(url)])];
}

/** Runs a route, lets it settle, and watches its process for so long. */
async function watched(route, ms) {
  const child = spawn(process.execPath, [CLI, ...configured(route)], { stdio: "ignore" });
  try {
    await pause(8000);
    const before = ticks(child.pid);
    await pause(ms);
    const used = (ticks(child.pid) - before) / TICKS_PER_SECOND;
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    const mebibytes = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) >> 10;
    return { peak: mebibytes("VmHWM"), now: mebibytes("VmRSS"), percent: (100_000 * used) / ms };
  } finally {
    child.kill("SIGKILL");
  }
}

/** User and system time of a process. */
function ticks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
