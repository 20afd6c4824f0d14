// node cdc.mjs [ROWS] [URL] [rate|latency|memory…]: changes of a PostgreSQL table into a file, beside a loop written by hand on the same
// driver that decodes the same stream into the same lines. Each contender is a process of its own; CPU is that of the process,
// which other programs on the machine disturb less than wall time. `latency`: from the answer to a COMMIT to the line in the file,
// at 1,000 commits a second. `memory`: one transaction of all rows, of which the process may take 150 MiB. ROWS may also stand in
// MQB_BENCH_ROWS: MQB_BENCH_ROWS=5000000 node cdc.mjs "" "" memory. Build first: pnpm tsc -b plugins/postgres plugins/file; a
// server: scripts/services up postgres
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createBridge, createRegistry } from "../../packages/core/dist/index.js";
import file from "../../plugins/file/dist/index.js";
import postgres from "../../plugins/postgres/dist/index.js";

const SELF = fileURLToPath(import.meta.url);
const { Client } = createRequire(new URL("../../plugins/postgres/package.json", import.meta.url))("pg");
const ROWS = Number(process.argv[2] || process.env.MQB_BENCH_ROWS || 200_000);
const MOST_MEMORY = 150;
const SERVER =
  process.argv[3] || process.env.MQB_TEST_POSTGRES_URL || "postgres://mqb:test-password@127.0.0.1:25432/postgres";
const CASES = process.argv.length > 4 ? process.argv.slice(4) : ["rate", "latency", "memory"];
const TOGETHER = 1000;
const PER_SECOND = 1000;
const COLUMNS =
  "id bigint PRIMARY KEY, name text, city text, amount numeric, score double precision, ok boolean, at timestamptz";

if (process.send) process.once("message", (job) => work(job));
else await main();

async function main() {
  if (CASES.includes("rate")) await rate();
  if (CASES.includes("latency")) await latency();
  if (CASES.includes("memory")) await memory();
}

/** A table with its publication, and a slot for each contender. */
async function lab(slots) {
  const name = `bench_${process.pid}_${Date.now()}`;
  await sql(`CREATE TABLE ${name} (${COLUMNS})`);
  await sql(`CREATE PUBLICATION ${name} FOR TABLE ${name}`);
  const names = Array.from({ length: slots }, (_, n) => `${name}_${n}`);
  for (const slot of names) await sql(`SELECT pg_create_logical_replication_slot('${slot}', 'pgoutput')`);
  return {
    name,
    slots: names,
    async drop() {
      for (const slot of names) await sql(`SELECT pg_drop_replication_slot('${slot}')`);
      await sql(`DROP PUBLICATION ${name}; DROP TABLE ${name}`);
    },
  };
}

async function fill(name, from, to) {
  await sql(
    `INSERT INTO ${name} SELECT n, 'customer ' || n, 'Zürich "old town" ' || (n % 97), (n * 7 % 10000) / 100.0, n / 3.0, n % 2 = 0, '2024-01-01'::timestamptz + n * interval '1 second' FROM generate_series(${from}, ${to}) n`,
  );
}

async function rate() {
  const rounds = 3;
  const place = await lab(2 * rounds);
  for (let at = 0; at < ROWS; at += TOGETHER) await fill(place.name, at + 1, at + TOGETHER);
  const results = { floor: [], route: [] };
  // In turn, the first round warms up.
  for (let round = 0; round < rounds; round++) {
    for (const [n, who] of ["floor", "route"].entries()) {
      const result = await run({ who, slot: place.slots[2 * round + n], publication: place.name, rows: ROWS });
      if (round > 0) results[who].push(result);
    }
  }
  if (results.floor[0].hash !== results.route[0].hash) throw new Error("the contenders have written different lines");
  report("changes -> file", results);
  await place.drop();
}

async function memory() {
  const place = await lab(1);
  await fill(place.name, 1, ROWS);
  const result = await run({ who: "route", slot: place.slots[0], publication: place.name, rows: ROWS });
  console.log(`one transaction of ${ROWS} rows: ${result.ms.toFixed(0)} ms, ${result.rss} MiB`);
  if (result.rss > MOST_MEMORY) process.exitCode = 1;
  await place.drop();
}

async function latency() {
  const place = await lab(1);
  const path = join(tmpdir(), `mqb-bench-cdc-${process.pid}.jsonl`);
  const child = fork(SELF, [String(ROWS), SERVER]);
  child.send({ who: "live", slot: place.slots[0], publication: place.name, path });
  await new Promise((resolve) => child.once("message", resolve));
  const client = new Client({ connectionString: SERVER });
  await client.connect();
  const [count, took] = [5 * PER_SECOND, []];
  const out = openSync(path, "r");
  const committed = new Map();
  const bytes = Buffer.alloc(1 << 16);
  let [seen, done] = [0, 0];
  const look = () => {
    for (
      let size = readSync(out, bytes, 0, bytes.length, null);
      size > 0;
      size = readSync(out, bytes, 0, bytes.length, null)
    ) {
      const now = performance.now();
      for (let i = 0; i < size; i++) if (bytes[i] === 10) arrived(++seen, now);
    }
  };
  const arrived = (id, now) => {
    const since = committed.get(id);
    // It was here before the answer to the commit.
    took.push(since === undefined ? 0 : now - since);
  };
  const began = performance.now();
  while (seen < count) {
    const due = Math.min(count, Math.floor(((performance.now() - began) * PER_SECOND) / 1000));
    if (done < due) {
      const id = ++done;
      client
        .query({
          name: "one",
          text: `INSERT INTO ${place.name} VALUES ($1, 'customer', 'town', 1.5, 0.5, true, now())`,
          values: [id],
        })
        .then(() => committed.set(id, performance.now()));
    }
    look();
    await new Promise((resolve) => setImmediate(resolve));
  }
  took.sort((a, b) => a - b);
  const at = (share) => took[Math.min(took.length - 1, Math.floor(took.length * share))].toFixed(2);
  console.log(`commit -> file at ${PER_SECOND}/s: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`);
  closeSync(out);
  child.send("stop");
  await new Promise((resolve) => child.once("exit", resolve));
  await client.end();
  rmSync(path, { force: true });
  await place.drop();
}

function report(name, results) {
  for (const who of ["floor", "route"]) {
    const [ms, cpu] = ["ms", "cpu"].map((key) => median(results[who].map((one) => one[key])));
    const [floorMs, floorCpu] = ["ms", "cpu"].map((key) => median(results.floor.map((one) => one[key])));
    const rss = Math.max(...results[who].map((one) => one.rss));
    const ratios = `x ${(floorMs / ms).toFixed(2)}, by CPU x ${(floorCpu / cpu).toFixed(2)}`;
    console.log(
      `${name}, ${who}: ${Math.round((1000 * ROWS) / ms)}/s, ${ms.toFixed(0)} ms, ${cpu.toFixed(0)} ms of CPU, ${rss} MiB, ${ratios}`,
    );
  }
}

function run(job) {
  const child = fork(SELF, [String(ROWS), SERVER]);
  child.send(job);
  return new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`${job.who} ended with ${code}`)));
  });
}

async function work({ who, ...job }) {
  if (who === "live") return live(job);
  const path = join(tmpdir(), `mqb-bench-cdc-${process.pid}.jsonl`);
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await (who === "floor" ? byHand(job, path) : route(job, path));
  const ms = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  const rss = process.resourceUsage().maxRSS >> 10;
  const hash = statSync(path).size > 1 << 28 ? "" : createHash("sha256").update(readFileSync(path)).digest("hex");
  rmSync(path);
  process.send({ ms, cpu: (user + system) / 1000, rss, hash }, () => process.exit(0));
}

const input = ({ slot, publication }) => ({ postgres_cdc: { url: SERVER, slot_name: slot, publication } });

async function route({ rows, ...job }, path) {
  const bridge = createBridge({ registry: createRegistry([file, postgres]) });
  const one = bridge.route("bench", {
    exit_on_empty: true,
    input: input(job),
    output: { file: { path, format: "raw" } },
  });
  await one.start();
  const { outcome, error, accounting } = await one.done;
  if (outcome !== "completed" || accounting.delivered !== rows) throw error ?? new Error(JSON.stringify(accounting));
}

async function live({ path, ...job }) {
  const bridge = createBridge({ registry: createRegistry([file, postgres]) });
  const one = bridge.route("bench", { input: input(job), output: { file: { path, format: "raw" } } });
  await one.start();
  process.send("started");
  process.once("message", async () => {
    await one.stop();
    process.exit(0);
  });
}

/** The least that the job takes: a maker of lines for the table, and one write for so many of them. */
function byHand({ slot, publication, rows }, path) {
  return new Promise((resolve, reject) => {
    const out = openSync(path, "w");
    const client = new Client({ connectionString: SERVER, replication: "database", options: "-c timezone=UTC" });
    client.on("error", reject);
    let [makeLine, count, lines] = [undefined, 0, []];
    const { connection } = client;
    const confirm = (lsn) => {
      const update = Buffer.alloc(34);
      update[0] = 114;
      for (const at of [1, 9, 17]) update.writeBigUInt64BE(lsn, at);
      connection.sendCopyFromChunk(update);
    };
    connection.on("copyData", ({ chunk }) => {
      if (chunk[0] !== 119) {
        if (chunk[17] === 1) confirm(0n);
        return;
      }
      const kind = chunk[25];
      if (kind === 82) makeLine = lineMaker(chunk);
      else if (kind === 73) {
        lines.push(makeLine(chunk));
        count++;
      } else if (kind === 67) {
        writeSync(out, lines.join(""));
        lines = [];
        const lsn = chunk.readBigUInt64BE(35);
        confirm(lsn);
        if (count < rows) return;
        closeSync(out);
        connection.stream.destroy();
        resolve();
      }
    });
    client.connect().then(() => {
      const options = `proto_version '1', publication_names '"${publication}"'`;
      client.query(`START_REPLICATION SLOT "${slot}" LOGICAL 0/0 (${options})`).catch(() => {});
    }, reject);
  });
}

/** A function for the columns of a table: what each value becomes is known beforehand. */
function lineMaker(chunk) {
  let at = chunk.indexOf(0, 30) + 1;
  at = chunk.indexOf(0, at) + 2;
  const count = chunk.readInt16BE(at);
  at += 2;
  const parts = [];
  for (let i = 0; i < count; i++) {
    const end = chunk.indexOf(0, at + 1);
    const name = JSON.stringify(chunk.toString("utf8", at + 1, end));
    const type = chunk.readInt32BE(end + 1);
    at = end + 9;
    const text = [20, 21, 23].includes(type)
      ? "t"
      : type === 16
        ? `(t === "t")`
        : type === 701
          ? `(/[.e]/.test(t) ? t : t + ".0")`
          : `JSON.stringify(t)`;
    parts.push(
      `if (c[at++] === 110) s += ${JSON.stringify(`${i === 0 ? "{" : ","}${name}:null`)}; else { n = c.readInt32BE(at); at += 4; t = c.utf8Slice(at, at + n); at += n; s += ${JSON.stringify(`${i === 0 ? "{" : ","}${name}:`)} + ${text}; }`,
    );
  }
  return new Function("c", `let at = 33, s = "", n = 0, t = "";\n${parts.join("\n")}\nreturn s + "}\\n";`);
}

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

async function sql(text) {
  const client = new Client({ connectionString: SERVER });
  await client.connect();
  await client.query(text);
  await client.end();
}
