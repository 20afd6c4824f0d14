// node copy.mjs IN OUT: the bytes, unread, 1 MiB at a time. Nothing that reads one file and writes another is cheaper.
import { closeSync, openSync, readSync, writeSync } from "node:fs";

const [input, output] = process.argv.slice(2);
const from = openSync(input, "r");
const to = openSync(output, "w");
const chunk = Buffer.allocUnsafe(1 << 20);
for (let n = readSync(from, chunk); n > 0; n = readSync(from, chunk)) {
  for (let at = 0; at < n; ) at += writeSync(to, chunk, at, n - at);
}
closeSync(to);
