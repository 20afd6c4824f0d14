// node expression.mjs [MESSAGES]: nanoseconds of CPU for each message that an expression is computed for, from the bytes of a JSON
// line of about 190 bytes to its answer, and the same through @gorules/zen-engine: once from the bytes too, once from
// objects that are there already. Build first: pnpm tsc -b plugins/expression
import { createRequire } from "node:module";
import { slabBatch } from "../../packages/core/dist/plugin.js";
import { Pieces } from "../../packages/kernel/dist/index.js";
import expression from "../../plugins/expression/dist/index.js";

const { evaluateExpressionSync } = createRequire(new URL("../../plugins/expression/package.json", import.meta.url))(
  "@gorules/zen-engine",
);
const [messages = "50000"] = process.argv.slice(2);
const BATCH = 1024;
const ROUNDS = Math.ceil(Number(messages) / BATCH);

const PREDICATES = [
  "number(amount) > 50000",
  'status == "paid" and number(amount) >= 100',
  'status in ["new", "paid"] or customer == "Anna Adams"',
  "len(note) > 20 and number(amount) % 2 < 1",
  'contains(lower(email), "example.org")',
];
const COMPUTATIONS = [
  "number(amount) * 2",
  "{ id: id, total: number(amount) * 2, who: customer }",
  '{ name: upper(customer), large: number(amount) > 50000 ? "yes" : "no", text: `${id}: ${status}` }',
];

const lines = Array.from({ length: BATCH }, (_, n) => JSON.stringify(row(n)));
const objects = lines.map((line) => JSON.parse(line));
const slab = slabOf();

const ratios = { bytes: [], objects: [] };
for (const source of PREDICATES) compared(source, tested(source));
for (const source of COMPUTATIONS) compared(source, written(source));
const mean = (list) => Math.exp(list.reduce((sum, ratio) => sum + Math.log(ratio), 0) / list.length).toFixed(1);
console.log(`geometric mean: ${mean(ratios.bytes)} times as fast from bytes, ${mean(ratios.objects)} from objects`);

function compared(source, ours) {
  const one = cpu(ours);
  const fromBytes = cpu(() => {
    for (const line of lines) JSON.stringify(evaluateExpressionSync(source, JSON.parse(line)));
  });
  const fromObjects = cpu(() => {
    for (const object of objects) evaluateExpressionSync(source, object);
  });
  ratios.bytes.push(fromBytes / one);
  ratios.objects.push(fromObjects / one);
  const times = (other) => `${Math.round(other)} ns (${(other / one).toFixed(1)} times)`;
  console.log(`${source}: ${Math.round(one)} ns; zen-engine ${times(fromBytes)}, from objects ${times(fromObjects)}`);
}

function tested(source) {
  const predicate = expression.expressions.predicate(source);
  return () => predicate.test(batchOf());
}

function written(source) {
  const evaluator = expression.expressions.evaluator(source);
  const into = new Pieces();
  return () => {
    evaluator.begin(batchOf());
    into.begin(slab.bytes);
    for (let index = 0; index < BATCH; index++) evaluator.write(index, into);
    into.join(Buffer.allocUnsafe);
  };
}

/** Nanoseconds of this process for each message; the first rounds are not counted. */
function cpu(run) {
  for (let round = 0; round < 10; round++) run();
  const from = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) run();
  const { user, system } = process.cpuUsage(from);
  return ((user + system) * 1000) / (ROUNDS * BATCH);
}

function row(n) {
  return {
    id: String(n),
    amount: (((n * 7919) % 10_000_000) / 100).toFixed(2),
    created_at: "2026-01-01T00:00:08.459Z",
    customer: ["Anna Adams", "Jürgen O'Neil", "Ines Eriksson"][n % 3],
    note: "ring, at noon, size 12",
    status: ["new", "paid", "shipped", "returned"][n % 4],
    email: `somebody${n}@example.${n % 2 === 0 ? "org" : "com"}`,
  };
}

/** A new batch each time: what was found in one is kept for as long as it is the last. */
function batchOf() {
  return slabBatch(slab);
}

function slabOf() {
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  const starts = new Uint32Array(BATCH);
  const ends = new Uint32Array(BATCH);
  for (let i = 0, at = 0; i < BATCH; i++, at++) {
    starts[i] = at;
    at += Buffer.byteLength(lines[i]);
    ends[i] = at;
  }
  return { bytes, starts, ends };
}
