// `npm run demo`: makes a CSV file of orders, moves it into a SQLite table and back out as JSON lines with the routes of
// examples/csv-into-sqlite, and compares every row without mqb. `--rows N` for another size.
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bootstrap, run } from "./bootstrap.mjs";
import { compareFigures, compareRows, FIGURES_QUERY, figuresOf } from "./demo/agree.mjs";
import { writeOrders } from "./demo/orders.mjs";
import { csvRecords, jsonLines, reasons, sorted } from "./demo/read.mjs";
import { root } from "./workspace.mjs";

const { values } = parseArgs({ options: { rows: { type: "string", default: "200000" } } });
const rows = Number(values.rows);
const example = join(root, "examples/csv-into-sqlite");
const folder = "demo-data/csv-into-sqlite";
/** @param {string} name */
const at = (name) => join(root, folder, name);

try {
  await main();
} catch (error) {
  process.stderr.write(`demo: ${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
}

async function main() {
  if (!Number.isSafeInteger(rows) || rows < 1)
    throw new Error(`--rows ${values.rows}: a whole number above 0 is needed`);
  const env = bootstrap({ build: false });
  step("Building mqb and its plugin for SQLite, if they are not built yet");
  run("tsc", ["-b", "plugins/sqlite"], env);
  run(process.execPath, ["./mqb", "--version"], env);
  env["MQB_NO_BUILD"] = "1";

  step(`Making ${folder}/orders.csv, and a table for it`);
  rmSync(at("."), { recursive: true, force: true });
  mkdirSync(at("out"), { recursive: true });
  for (const name of ["mqb.yaml", "back.yaml"]) copyFileSync(join(example, name), at(name));
  writeOrders(at("orders.csv"), rows);
  const { createTable, openDatabase } = await import("../examples/csv-into-sqlite/create.mjs");
  createTable(at("out/orders.db"));
  print(readFileSync(at("orders.csv"), "utf8").slice(0, 1000).split("\n").slice(0, 4));

  step(`CSV -> filter -> types -> SQLite: cd ${folder}; ../../mqb run -c mqb.yaml`);
  const loadSeconds = timed(() => mqb("mqb.yaml", env));
  step(`SQLite -> JSON lines: ../../mqb run -c back.yaml`);
  const backSeconds = timed(() => mqb("back.yaml", env));

  step("What has become of the rows, read without mqb");
  const { kept, ...fates } = sorted(csvRecords(at("orders.csv")));
  const letters = reasons(at("out/refused.jsonl"));
  const database = openDatabase(at("out/orders.db"));
  const statement = database.prepare(FIGURES_QUERY);
  statement.setReadBigInts(true);
  const table = { ...statement.get() };
  database.close();
  const came = jsonLines(at("out/orders.jsonl"));
  const megabytes = (statSync(at("orders.csv")).size / 1e6).toFixed(1);
  print([
    line("rows in the CSV file", fates.rows, `${megabytes} MB`),
    line("filtered", fates.filtered, "orders of the test account"),
    line("dead letters", fates.refused, "in out/refused.jsonl, each with its reason:"),
    ...[...letters].map(
      ([reason, count]) => `  ${number(count).padStart(10)}  ${reason.replace(/^non-retryable error: /, "")}`,
    ),
    line("rows in the table", table.rows, `after ${loadSeconds} s, the start of the process included`),
    line("JSON lines", came.length, `after ${backSeconds} s`),
  ]);

  const [before, after] = [figuresOf(kept), figuresOf(came)];
  print([
    "",
    `sum of the amounts    CSV ${money(before.cents)}, table ${money(table.cents)}, JSON ${money(after.cents)}`,
    `last id, of 54 bits   CSV ${kept.at(-1)?.id}, JSON ${came.at(-1)?.id}`,
    `no coupon: NULL       CSV ${number(before.noCoupon)}, table ${number(table.noCoupon)}, JSON ${number(after.noCoupon)}`,
    `no note: empty text   CSV ${number(before.emptyNotes)}, table ${number(table.emptyNotes)}, JSON ${number(after.emptyNotes)}`,
  ]);
  const dead = [...letters.values()].reduce((sum, count) => sum + count, 0);
  if (dead !== fates.refused) throw new Error(`${dead} dead letters, and there should be ${fates.refused}`);
  compareFigures(before, table, "the table");
  compareRows(kept, came);
  print(["", `They agree, row by row and field by field. Look around in ${folder}; mqb.yaml says how.`]);
}

/** @param {string} config @param {NodeJS.ProcessEnv} env */
function mqb(config, env) {
  run(process.execPath, [join(root, "mqb"), "run", "-c", config, "--no-metrics"], env, at("."));
}

/** @param {() => void} work */
function timed(work) {
  const start = performance.now();
  work();
  return ((performance.now() - start) / 1000).toFixed(1);
}

/** @param {string} what @param {number | bigint} count @param {string} more */
function line(what, count, more) {
  return `${what.padEnd(22)}${number(count).padStart(10)}  ${more}`;
}

/** @param {number | bigint} count */
function number(count) {
  return count.toLocaleString("en");
}

/** @param {bigint} cents */
function money(cents) {
  return `${number(cents / 100n)}.${String(cents % 100n).padStart(2, "0")}`;
}

/** @param {readonly string[]} lines */
function print(lines) {
  for (const text of lines) process.stdout.write(`    ${text}`.trimEnd().concat("\n"));
}

/** @param {string} text */
function step(text) {
  process.stdout.write(`\n> ${text}\n`);
}
