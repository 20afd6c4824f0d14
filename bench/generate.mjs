// node bench/generate.mjs ROWS SEED OUT [--jsonl]: writes the rows as CSV, or as JSON lines with every value a string.
import { closeSync, openSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";
import { columns, rows } from "./rows.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { jsonl: { type: "boolean" } } });
const [count, seed] = positionals.map(Number);
const out = positionals[2];
if (positionals.length !== 3 || !Number.isInteger(count) || count < 0 || !Number.isInteger(seed)) {
  console.error("usage: node bench/generate.mjs ROWS SEED OUT [--jsonl]");
  process.exit(2);
}

const encode = values.jsonl ? jsonLine : csvLine;
const keys = columns.map((name, i) => `${i ? "," : "{"}${JSON.stringify(name)}:`);
const quotedNotes = new Map();
const file = openSync(out, "w");
let text = values.jsonl ? "" : `${columns.join(",")}\n`;
const source = rows(seed);
for (let i = 0; i < count; i += 1) {
  text += encode(source.next().value);
  if (text.length > 1 << 18) {
    writeAll(text);
    text = "";
  }
}
writeAll(text);
closeSync(file);

function csvLine([id, amount, time, customer, note, status, email]) {
  let quoted = quotedNotes.get(note);
  if (quoted === undefined) {
    quoted = note === "" ? "" : `"${note.replaceAll('"', '""')}"`;
    quotedNotes.set(note, quoted);
  }
  return `${id},${amount},${time},${customer},${quoted},${status},${email}\n`;
}

function jsonLine(row) {
  let line = "";
  for (let i = 0; i < keys.length; i += 1) line += keys[i] + JSON.stringify(row[i]);
  return `${line}}\n`;
}

function writeAll(text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
