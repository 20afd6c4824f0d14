// node lookup.mjs [BATCHES]: nanoseconds of CPU for each message that a lookup enriches, in batches of 1,024 lines of about 190
// bytes, against the floor: parse the line, get the record from a Map, write the line again. Build first: pnpm tsc -b plugins/lookup
import { createBridge, createRegistry } from "../../packages/core/dist/index.js";
import { slabBatch } from "../../packages/core/dist/plugin.js";
import standard from "../../packages/standard/dist/index.js";
import lookup from "../../plugins/lookup/dist/index.js";

const [batches = "500"] = process.argv.slice(2);
const BATCH = 1024;
const KEYS = 500;
const RECORD = '{"name":"somebody","score":1.50}';
const never = new AbortController().signal;

const lines = Array.from(
  { length: BATCH },
  (_, n) => `{"id":${n % KEYS},"name":"user ${n}","rest":"${"x".repeat(120)}","list":[1,2,3],"z":1.0}\n`,
);
const bytes = Buffer.from(lines.join(""));
const batch = batchOf();
const bridge = createBridge({ registry: createRegistry([standard, lookup]) });
const from = { static: { body: RECORD, raw: true } };
const cache = { key: "${payload:id}" };

const floor = await cpu("floor: parse, get, write", () => withObjects());
await compared("from the cache", { from, into: "user", cache });
await compared("two from the cache", { from, into: "user", cache, entries: [{ from, into: "a.b", cache }] });
await compared("asked each time, a batch at once", { from, into: "user" });
await compared("the payload replaced", { from, into: "$", cache });

async function compared(what, settings) {
  const publisher = await bridge.openPublisher({ null: null, middlewares: [{ lookup: settings }] });
  await cpu(what, () => publisher.send(batch, never), floor);
  await publisher.close();
}

async function cpu(what, work, against) {
  for (let i = 0; i < Number(batches) / 5; i++) await work();
  const before = process.cpuUsage();
  for (let i = 0; i < Number(batches); i++) await work();
  const { user, system } = process.cpuUsage(before);
  const each = ((user + system) * 1000) / (Number(batches) * BATCH);
  const ratio = against === undefined ? "" : `, ${(against / each).toFixed(1)} times as fast as the floor`;
  console.log(`${what}: ${Math.round(each)} ns a message${ratio}`);
  return each;
}

function withObjects() {
  const records = new Map(Array.from({ length: KEYS }, (_, id) => [id, { name: "somebody", score: 1.5 }]));
  const out = [];
  for (let i = 0; i < BATCH; i++) {
    const row = JSON.parse(Buffer.from(batch.payload(i)).toString());
    row.user = records.get(row.id);
    out.push(JSON.stringify(row));
  }
  return Buffer.from(`${out.join("\n")}\n`);
}

function batchOf() {
  const starts = new Uint32Array(BATCH);
  const ends = new Uint32Array(BATCH);
  let at = 0;
  for (const [i, line] of lines.entries()) {
    starts[i] = at;
    at += line.length;
    ends[i] = at - 1;
  }
  return slabBatch({ bytes, starts, ends, terminator: Buffer.from("\n") });
}
