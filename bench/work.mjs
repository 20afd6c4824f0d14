// What routes do with their messages: one middleware between two files, beside the same route in the original.
import { execFileSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "./harness/cache.mjs";
import { original, oursRun, outPath } from "./harness/contenders.mjs";

const sealing = (cipher) => ({ encryption: { cipher, key_id: "bench", key: Buffer.alloc(32, 7).toString("base64") } });
/** For both: what `mqb` takes for a file when nobody says. The original takes a little less CPU with it than with 1,024, too. */
const batchSize = 4096;
const XCHACHA = sealing("xchacha20poly1305");
const AES = sealing("aes256gcm");
const DEDUPLICATION = { ttl_seconds: 3600, key: "${payload:id}" };
const folder = outPath("dedup-keys");
const schema = {
  type: "object",
  properties: {
    id: { type: "integer" },
    amount: { type: "number" },
    created_at: { type: "string" },
    customer: { type: "string" },
  },
};

/**
 * By name: on which side it stands, the middleware, what differs from JSON lines read raw and written raw, and whether both
 * must write the same bytes (envelopes hold fresh ids).
 */
const WORK = {
  filter: { side: "output", middleware: { filter: "number(amount) > 50000" }, agreed: true },
  mapping: {
    side: "output",
    middleware: { transform: { mapping: { order: "$.id", total: "$.amount", who: "$.customer" } } },
    agreed: true,
  },
  expression: {
    side: "output",
    middleware: { transform: { expression: "{ id: id, total: number(amount) * 2, who: customer }" } },
    agreed: true,
  },
  typed: { side: "output", middleware: { transform: { schema, coerce: true } }, source: "csv", agreed: true },
  dedup: { side: "input", middleware: { deduplication: { ...DEDUPLICATION, store: "memory:" } }, agreed: true },
  zstd: { side: "output", middleware: { compression: { algorithm: "zstd" } }, sink: "normal" },
  encryption: { side: "output", middleware: XCHACHA, sink: "normal" },
  "encryption-aes": { side: "output", middleware: AES, sink: "normal" },
  decryption: { side: "input", middleware: XCHACHA, source: "sealed", agreed: true },
  "decryption-aes": { side: "input", middleware: AES, source: "sealed", agreed: true },
};

/** The cases: `work-filter`, `work-mapping`, … */
export const work = [...Object.entries(WORK).map(workCase), durable()];

function workCase([name, one]) {
  return { name: `work-${name}`, contenders: (data) => [oursOf(name, one, data), originalOf(name, one, data)] };
}

/** Keys on disk, beside those in memory. */
function durable() {
  const { dedup } = WORK;
  const onDisk = { ...DEDUPLICATION, store: `file://${folder}?durable=true` };
  return {
    name: "work-dedup-durable",
    contenders: (data) => [
      { ...oursOf("dedup-durable", { ...dedup, middleware: { deduplication: onDisk } }, data), removes: folder },
      { ...oursOf("dedup", dedup, data), name: "mqb in memory", kind: "floor" },
    ],
  };
}

function oursOf(name, one, data) {
  const output = outputOf("mqb", name, one);
  return oursRun(`ours-${name}`, ...ends(one, data, output.file), { output, batchSize });
}

function originalOf(name, one, data) {
  const output = outputOf("original", name, one);
  return original(`work-${name}`, ...ends(one, data, output.file), { output, batchSize });
}

function outputOf(who, name, { agreed = false }) {
  return { file: outPath(`${who}-${name}.jsonl`), form: agreed ? "agreed" : "any" };
}

function ends({ side, middleware, source = "jsonl", sink = "raw" }, data, path) {
  const on = (which) => (side === which ? { middlewares: [middleware] } : {});
  const file = source === "sealed" ? sealed(middleware, data) : data[source];
  const input = { file: { path: file, format: { csv: "csv", jsonl: "raw", sealed: "normal" }[source] } };
  return [
    { ...input, ...on("input") },
    { file: { path, format: sink }, ...on("output") },
  ];
}

/** The rows encrypted, each in an envelope: made once by mqb itself. */
function sealed(middleware, data) {
  const name = `sealed-${middleware.encryption.cipher}-${data.rows}.jsonl`;
  const path = join(cacheFolder(), "data", name);
  if (existsSync(path)) return path;
  const draft = outPath(name);
  const one = { side: "output", middleware, sink: "normal" };
  const { argv, missing } = oursRun("sealing", ...ends(one, data, draft));
  if (missing) return path;
  execFileSync(argv[0], argv.slice(1), { stdio: ["ignore", "ignore", "pipe"] });
  renameSync(draft, path);
  return path;
}
