// What the benchmarks of SQL databases share: routes in this process and loops by hand, in turns.
import { createReadStream, createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createBridge, createRegistry } from "../../packages/core/dist/index.js";
import standard from "../../packages/standard/dist/index.js";
import file from "../../plugins/file/dist/index.js";

/** The columns of the tables that are read and written. */
export const NAMES = ["id", "name", "price", "qty", "ok", "at", "note"];

/** Of `node NAME.mjs [ROWS] [ROUNDS] [ONLY]`; ONLY is a part of the titles of those that run. */
export function tableBench(name, plugins) {
  const [rows = 200_000, rounds = 3] = process.argv.slice(2, 4).map(Number);
  const [, , , , only = ""] = process.argv;
  const folder = mkdtempSync(join(tmpdir(), `mqb-bench-${name}-`));
  const at = (path) => join(folder, path);
  const registry = createRegistry([standard, file, ...plugins]);
  const input = { file: { path: at("in.jsonl"), format: "raw" } };
  const output = { file: { path: at("out.jsonl"), format: "raw" } };
  const route = async (from, to) => {
    const bridge = createBridge({ registry, baseDir: folder });
    const one = bridge.route("r", { input: from, output: to, exit_on_empty: true, concurrency: 4, batch_size: 1024 });
    await one.start();
    const { outcome, error } = await one.done;
    if (outcome !== "completed") throw error;
  };
  return {
    ...{ rows, at, input, output, route },
    /** The lines of `input`. */
    fill: (text) => writeFileSync(at("in.jsonl"), text),

    /** From `input` into a table, in each way that every database has. */
    columnRoutes(sink) {
      const tokens = NAMES.map((name) => `\${payload:${name}}`).join(", ");
      const insert_query = `INSERT INTO mqb_bench_dst (${NAMES.join(", ")}) VALUES (${tokens})`;
      return {
        "route, columns: auto": () => route(input, sink({ columns: "auto" })),
        "route, columns: auto, key": () => route(input, sink({ columns: "auto", key: "id" })),
        "route, insert_query": () => route(input, sink({ insert_query })),
      };
    },

    /** Hands the lines of `input` over by so many. */
    async lines(size, write) {
      const some = [];
      for await (const line of createInterface({ input: createReadStream(at("in.jsonl")) })) {
        some.push(line);
        if (some.length === size) await write(some.splice(0));
      }
      if (some.length > 0) await write(some);
    },

    /** Writes the pages that `next` gives as JSON lines, until one is empty. */
    async writeJson(next) {
      const out = createWriteStream(at("bare.jsonl"));
      for (let some = await next(undefined); some.length > 0; some = await next(some.at(-1))) {
        if (!out.write(`${some.map((row) => JSON.stringify(row)).join("\n")}\n`))
          await new Promise((go) => out.once("drain", go));
      }
      await new Promise((done) => out.end(done));
    },

    /** The best round of each counts. Those whose name does not begin with `route` are the floors. */
    async compare(title, contenders, before = () => {}) {
      if (!title.includes(only)) return;
      const best = new Map();
      for (let round = 0; round < rounds; round++) {
        for (const [who, run] of Object.entries(contenders)) {
          rmSync(at("out.jsonl"), { force: true });
          await before();
          const figure = await timed(run);
          const known = best.get(who) ?? figure;
          best.set(who, { wall: Math.min(known.wall, figure.wall), cpu: Math.min(known.cpu, figure.cpu) });
        }
      }
      report(title, rows, best);
    },

    end: () => rmSync(folder, { recursive: true }),
  };
}

/** Milliseconds by the clock, and of user and system of this process together. */
async function timed(run) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / 1000 };
}

function report(title, rows, best) {
  const floors = [...best].filter(([who]) => !who.startsWith("route")).map(([, figure]) => figure);
  // One that works in another process takes no CPU of this one.
  const floor = {
    wall: Math.min(...floors.map(({ wall }) => wall)),
    cpu: Math.min(...floors.map(({ cpu }) => cpu).filter((ms) => ms > 20)),
  };
  console.log(`${title}, ${rows} rows`);
  for (const [who, { wall, cpu }] of best) {
    const rate = Math.round(rows / (wall / 1000)).toLocaleString("en");
    const ratios = `x ${(floor.wall / wall).toFixed(2)} of the best floor, x ${(floor.cpu / cpu).toFixed(2)} by CPU`;
    console.log(`  ${who}: ${wall.toFixed(0)} ms, ${rate} a second, ${cpu.toFixed(0)} ms of CPU here (${ratios})`);
  }
}
