// The table of cases. Each makes its contenders from the inputs; the first of a kind that is "ours" is what the ratios
// compare with everybody else.
import { builtPackage, duckdb, floor, original, ours, oursBare, outPath, script } from "./harness/contenders.mjs";
import { work } from "./work.mjs";

const file = (path, options) => ({ file: { path, ...options } });
const uri = (path, options) => `file:${path}?${new URLSearchParams(options)}`;

/** @param {Awaited<ReturnType<import("./harness/cache.mjs").inputs>>} data */
const csvToJsonl = (data) => {
  const output = (who) => ({ file: outPath(`${who}.jsonl`), form: "jsonl" });
  const [a, b, c, d, e] = ["mqb", "original", "duckdb", "js", "kernel"].map(output);
  const select = `SELECT * FROM read_csv('${data.csv}', all_varchar = true, header = true, nullstr = '\\N')`;
  return [
    ours(uri(data.csv, { format: "csv" }), uri(a.file, { format: "raw" }), { output: a }),
    original("csv-jsonl", file(data.csv, { format: "csv" }), file(b.file, { format: "raw" }), { output: b }),
    duckdb(`COPY (${select}) TO '${c.file}' (FORMAT json)`, { output: c }),
    floor("plain JS loop", "csv-js.mjs", [data.csv, d.file], { output: d }),
    floor("kernel loop", "csv-kernel.mjs", [data.csv, e.file], { output: e }),
    floor("copy of the output's bytes", "copy.mjs", [data.jsonl, outPath("copy.jsonl")], {
      output: { file: outPath("copy.jsonl"), form: "jsonl" },
    }),
  ];
};

/** From JSON lines, read raw, to a file in some form. */
function rawTo(name, extension, form, sink, rest = () => []) {
  return (data) => {
    const output = (who) => ({ file: outPath(`${who}${extension}`), ...form });
    const [a, b] = ["mqb", "original"].map(output);
    return [
      ours(uri(data.jsonl, { format: "raw" }), uri(a.file, sink), { output: a }),
      original(name, file(data.jsonl, { format: "raw" }), file(b.file, sink), { output: b }),
      ...rest(data, output),
    ];
  };
}

const strings =
  "{id: 'VARCHAR', amount: 'VARCHAR', created_at: 'VARCHAR', customer: 'VARCHAR', note: 'VARCHAR', status: 'VARCHAR', email: 'VARCHAR'}";
const jsonRows = (data) =>
  `SELECT * FROM read_json('${data.jsonl}', format = 'newline_delimited', columns = ${strings})`;
const duckTo = (data, output, options) =>
  duckdb(`COPY (${jsonRows(data)}) TO '${output.file}' (${options})`, { output });

/**
 * Middlewares that need no driver: what each costs on a route that does nothing else. The side where it may stand, how
 * `mqb copy` writes it, and how a configuration does.
 */
const MIDDLEWARES = [
  ["input", "id?%24%7Bpayload:id%7D", { id: "${payload:id}" }],
  ["input", "limiter?messages_per_second=1000000000", { limiter: { messages_per_second: 1e9 } }],
  ["input", "metrics", { metrics: {} }],
  ["output", "retry", { retry: {} }],
  ["output", "dlq?endpoint=null:", { dlq: { endpoint: { null: null } } }],
  ["output", "timeout?timeout_ms=60000", { timeout: { timeout_ms: 60_000 } }],
  ["output", "buffer?max_messages=1024&max_delay_ms=100", { buffer: { max_messages: 1024, max_delay_ms: 100 } }],
  ["output", "pack", { pack: {} }],
];

function withMiddleware([side, text, middleware]) {
  const name = Object.keys(middleware)[0];
  const on = (which, address) => (side === which ? `${address}|${text}` : address);
  const list = (which) => (side === which ? { middlewares: [middleware] } : {});
  return {
    name: `with-${name}`,
    contenders: (data) => [
      ours(on("input", uri(data.jsonl, { format: "raw" })), on("output", "null:"), { counts: true }),
      { ...ours(uri(data.jsonl, { format: "raw" }), "null:", { counts: true }), name: "mqb without it", kind: "floor" },
      original(
        `with-${name}`,
        { ...list("input"), ...file(data.jsonl, { format: "raw" }) },
        { ...list("output"), null: null },
      ),
    ],
  };
}

const toNull = (data) => [
  ours(uri(data.jsonl, { format: "raw" }), "null:", { counts: true }),
  original("raw-null", file(data.jsonl, { format: "raw" }), { null: null }),
  floor("read", "read.mjs", [data.jsonl]),
  floor("read and find the lines", "read-lines.mjs", [data.jsonl]),
];

/** What one message costs inside a process: `size` messages in a batch, from a memory topic to `null`. */
const memoryToNull = (size, messages) => ({
  name: `memory-null-${size}`,
  measure: "self",
  rows: 10,
  contenders: () => [
    script("mqb", "ours", "micro/memory-null.mjs", [size, messages], builtPackage("standard")),
    script("floor: bare hand-over", "floor", "floor/hand-over.mjs", [size, messages]),
  ],
});

/** What one message costs from one process to another over a socket; with `look` a handler reads payload and metadata. */
const betweenProcesses = (size, messages, look) => ({
  name: `ipc-${size}${look === "look" ? "-look" : ""}`,
  measure: "self",
  rows: 10,
  contenders: () => [
    script("mqb", "ours", "micro/ipc.mjs", [size, messages, look], builtPackage("standard")),
    script("floor: socket and msgpackr", "floor", "floor/ipc-socket.mjs", [size, messages, look]),
  ],
});

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {"process" | "self" | "stalled"} [measure]  from outside, over the whole process (default); by the script
 *   itself, per message; by what a process has taken in while nobody reads its output
 * @property {number} [times]    how many times the rows that were asked for
 * @property {number} [rows]     a fixed number of rows instead
 * @property {(data: Awaited<ReturnType<import("./harness/cache.mjs").inputs>>) => import("./harness/measure.mjs").Contender[]} contenders
 */

/** @type {Case[]} */
export const cases = [
  { name: "csv-jsonl", contenders: csvToJsonl },
  {
    name: "raw-raw",
    contenders: rawTo("raw-raw", ".jsonl", { form: "jsonl" }, { format: "raw" }, (data, output) => {
      const [a, b] = ["copy", "streams"].map(output);
      return [
        floor("copy", "copy.mjs", [data.jsonl, a.file], { output: a }),
        floor("copy by streams", "copy-streams.mjs", [data.jsonl, b.file], { output: b }),
      ];
    }),
  },
  { name: "raw-null", contenders: toNull },
  {
    name: "raw-csv",
    contenders: rawTo("raw-csv", ".csv", { form: "csv" }, { format: "csv" }, (data, output) => [
      duckTo(data, output("duckdb"), "FORMAT csv, HEADER true"),
    ]),
  },
  { name: "raw-normal", contenders: rawTo("raw-normal", ".normal.jsonl", { form: "normal" }, { format: "normal" }) },
  {
    name: "raw-gzip",
    contenders: rawTo(
      "raw-gzip",
      ".jsonl.gz",
      { form: "jsonl", packed: "gzip" },
      { format: "raw", compression: "gzip" },
      (data, output) => [
        duckTo(data, output("duckdb"), "FORMAT json, COMPRESSION gzip"),
        floor("zlib stream", "copy-streams.mjs", [data.jsonl, output("zlib").file, "gzip"], { output: output("zlib") }),
      ],
    ),
  },
  {
    name: "raw-zstd",
    contenders: rawTo(
      "raw-zstd",
      ".jsonl.zst",
      { form: "jsonl", packed: "zstd" },
      { format: "raw", compression: "zstd" },
      (data, output) => [duckTo(data, output("duckdb"), "FORMAT json, COMPRESSION zstd")],
    ),
  },
  ...MIDDLEWARES.map(withMiddleware),
  ...work,
  { name: "csv-jsonl-x10", times: 10, contenders: (data) => csvToJsonl(data).filter(({ kind }) => kind !== "floor") },
  {
    name: "ten-rows",
    rows: 10,
    contenders: (data) => [
      ...csvToJsonl(data).filter(({ kind }) => kind !== "floor"),
      floor("empty script", "empty.mjs", []),
    ],
  },
  memoryToNull(1024, 2_000_000),
  memoryToNull(1, 300_000),
  betweenProcesses(512, 500_000, "null"),
  betweenProcesses(512, 500_000, "look"),
  betweenProcesses(1, 100_000, "null"),
  {
    name: "stalled-sink",
    measure: "stalled",
    contenders: (data) => [
      ours(uri(data.jsonl, { format: "raw" }), "-?format=raw"),
      original("stalled-sink", file(data.jsonl, { format: "raw" }), file("/dev/stdout", { format: "raw" })),
      floor("copy by streams", "copy-streams.mjs", [data.jsonl, "/dev/stdout"]),
    ],
  },
  { name: "version", rows: 10, contenders: () => [oursBare("--version"), floor("empty script", "empty.mjs", [])] },
];
